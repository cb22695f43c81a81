import { expect, test } from 'vitest'
import { json } from '../../src/http/response.ts'
import { serveHandlers } from '../support/lifetime.ts'

const url = await serveHandlers({
  page: ({ params }) => json(params),
  retrieve: ({ params }) => json(params),
  environments: () => json([]),
  addFault: ({ params }) => json(params),
  clearFaults: ({ params }) => json(params),
})

for (const [path, params] of [
  ['/checkout/pi_1', { id: 'pi_1' }],
  ['/checkout/pi%5F1', { id: 'pi_1' }],
  ['/checkout/pi_1?id=2', { id: 'pi_1' }],
  ['/payment-intents/%ff', { id: '%ff' }],
] as const) {
  test(`decodes the parameters of ${path}`, async () => {
    const response = await fetch(url + path)
    expect([response.status, await response.json()]).toEqual([200, params])
  })
}

for (const path of ['/checkout/%ff', '/checkout/', '/checkout/a/b', '/checkout', '/readyz']) {
  test(`returns 404 for ${path}`, async () => {
    expect((await fetch(url + path)).status).toBe(404)
  })
}

test('returns 405 with the methods of the path', async () => {
  const response = await fetch(`${url}/_sandbox/environments/1/faults`, { method: 'PUT' })
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, DELETE'])
})

test('returns only the head for HEAD', async () => {
  const response = await fetch(`${url}/checkout/pi_1`, { method: 'HEAD' })
  expect([response.headers.get('content-length'), await response.text()]).toEqual(['13', ''])
})
