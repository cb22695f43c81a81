import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { json } from '../../src/http/response.ts'
import { createListener } from '../../src/http/router.ts'

const server = createServer(
  createListener({
    log: pino({ enabled: false }),
    observers: [],
    handlers: {
      page: ({ params }) => json(params),
      retrieve: ({ params }) => json(params),
      environments: () => json([]),
      addFault: ({ params }) => json(params),
      clearFaults: ({ params }) => json(params),
    },
    checks: {},
  }),
)
let url = ''

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
})

for (const [path, params] of [
  ['/checkout/pi_1', { id: 'pi_1' }],
  ['/checkout/pi%5F1', { id: 'pi_1' }],
  ['/checkout/pi_1?id=2', { id: 'pi_1' }],
  ['/payment-intents/%ff', { id: '%ff' }],
] as const) {
  test(`decodes the parameters of ${path}`, async () => {
    const response = await fetch(url + path)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(params)
  })
}

for (const path of ['/checkout/%ff', '/checkout/', '/checkout/a/b', '/checkout', '/readyz']) {
  test(`returns 404 for ${path}`, async () => {
    expect((await fetch(url + path)).status).toBe(404)
  })
}

test('returns 405 with the methods of the path', async () => {
  const response = await fetch(`${url}/_sandbox/environments/1/faults`, { method: 'PUT' })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('POST, DELETE')
})

test('returns the head alone for HEAD', async () => {
  const response = await fetch(`${url}/checkout/pi_1`, { method: 'HEAD' })
  expect(response.headers.get('content-length')).toBe('13')
  expect(await response.text()).toBe('')
})
