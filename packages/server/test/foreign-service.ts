/** Another service of the specification, for tests. @module */
import type { Translate } from '../src/index.ts'
import { fakeService } from '../src/testing/fake-service.ts'

/** What its merchant writes. */
const translate: Translate = ({ status, headers, body }) =>
  status >= 400
    ? { code: headers.get('X-Error') }
    : { ...body, status: body.state.replace('is ', '') }

/** Another service: its own name of the status, its own errors, and no word about a replay. */
export function foreignService() {
  const service = fakeService()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await service.options.fetch(input, init)
    const { status, code, createdAt: _, ...intent } = JSON.parse(await response.text())
    if (!response.ok) {
      return new Response('No.', { status: response.status, headers: { 'x-error': code } })
    }
    return Response.json({ ...intent, state: `is ${status}` })
  }
  const options = { ...service.options, fetch, translate }
  return { ...service, options }
}
