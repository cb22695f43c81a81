import { expect, test } from 'vitest'
import { Overloaded } from '../../src/store/errors.ts'
import { serveRoutes } from '../support/lifetime.ts'

test('rejects with Retry-After when too many requests wait for the store', async () => {
  const url = await serveRoutes((app) => {
    app.get('/', () => Promise.reject(new Overloaded()))
  })
  const response = await fetch(url)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({
    code: 'store_unavailable',
    retryable: true,
    detail: expect.stringContaining('This request was not run'),
  })
})
