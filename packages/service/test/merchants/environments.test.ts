import { expect, test } from 'vitest'
import { changeOrigin } from '../../src/merchants/environments.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()

test('rejects an origin that does not fit in a response header, and says what to do', async () => {
  const origins = Array.from({ length: 200 }, (_, at) => `https://shop-${at}.example.com`)
  const add = async (origin: string) =>
    await changeOrigin(db, 'add', { environmentId: 'env_live', origin })
  const results = await Promise.all(origins.map((origin) => add(origin).catch(String)))
  const rejected = results.filter((result) => typeof result === 'string')
  expect([rejected.length > 20, rejected.length < 100]).toEqual([true, true])
  expect(rejected[0]).toBe(
    'ProblemError: origin: the origins of an environment must have at most 4000 characters together, because a response header lists them. Remove one with pi-service origins remove.',
  )
  const first = { environmentId: 'env_live', origin: 'https://shop-0.example.com' }
  await changeOrigin(db, 'remove', first)
  expect(await add(first.origin)).toContain(first.origin)
})
