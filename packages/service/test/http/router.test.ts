import { expect, test } from 'vitest'
import { json } from '../../src/http/response.ts'
import { serveHandlers } from '../support/lifetime.ts'
import { problemOf } from '../support/service.ts'

const url = await serveHandlers({
  page: ({ params }) => json(params),
  retrieve: ({ params }) => json(params),
})

test.each([
  ['/checkout/pi_1', 'pi_1'],
  ['/checkout/pi%5F1', 'pi_1'],
  ['/checkout/pi_1?id=2', 'pi_1'],
  ['/payment-intents/%ff', '%ff'],
])('decodes the parameters of %s', async (path, id) => {
  const response = await fetch(url + path)
  expect([response.status, await response.json()]).toEqual([200, { id }])
})

test.each([
  '/checkout/%ff',
  '/checkout/',
  '/checkout/a/b',
  '/checkout',
  '/readyz',
  '/x',
  '/payment-intents/',
  '/Payment-Intents/x',
])('returns 404 for %s (threat 30)', async (path) => {
  expect(await problemOf(await fetch(url + path))).toBe('404 not_found')
})

test('returns only the head for HEAD', async () => {
  const response = await fetch(`${url}/checkout/pi_1`, { method: 'HEAD' })
  expect([response.headers.get('content-length'), await response.text()]).toEqual(['13', ''])
})
