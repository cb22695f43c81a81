import { expect, test } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { Overloaded } from '../../src/db/errors.ts'
import { serveRoutes } from '../support/lifetime.ts'

test('lets 4,096 requests wait for the store and rejects one more immediately', async () => {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let running = 0
  const work = batch<number, number>({
    run: async (items) => {
      running += items.length
      await released
      return items
    },
    separable: () => false,
    commits: true,
    kind: 'postgres',
  })
  const first = Array.from({ length: 4096 }, (_, item) => work(item))
  await new Promise((resolve) => setImmediate(resolve))
  // Sent requests no longer wait.
  const further = Array.from({ length: running }, (_, item) => work(item))
  await expect(work(0)).rejects.toBeInstanceOf(Overloaded)
  release()
  expect(await Promise.all([...first, ...further])).toHaveLength(4096 + further.length)
  expect(await work(7)).toBe(7)
})

test('rejects with Retry-After when too many requests wait', async () => {
  const url = await serveRoutes((app) => {
    app.get('/', () => {
      throw new Overloaded()
    })
  })
  const response = await fetch(url)
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
  expect(await response.json()).toMatchObject({
    code: 'store_unavailable',
    retryable: true,
    detail: expect.stringContaining('This request was not run'),
  })
})
