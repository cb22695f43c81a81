import { beforeEach, expect, test } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { addOrigin, listEnvironments, removeOrigin } from '../../src/merchants/merchants.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { openTestStore } from '../support/store.ts'

const store = await openTestStore()
const keys = readSecretKeys(newSecretKeys())
const changes: unknown[] = []
const db: Database = {
  ...store,
  notify: (change) => {
    changes.push(change)
    store.notify(change)
  },
}
const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 20, 12, minutes))
const environmentId = 'env_test'

beforeEach(() => {
  changes.length = 0
})

test('rejects an origin that does not fit in a response header, and says what to do', async () => {
  const origins = Array.from({ length: 200 }, (_, at) => `https://shop-${at}.example.com`)
  const add = async (origin: string) => await addOrigin(db, { environmentId: 'env_live', origin })
  const results = await Promise.all(origins.map((origin) => add(origin).catch(String)))
  const rejected = results.filter((result) => typeof result === 'string')
  expect([rejected.length > 20, rejected.length < 100]).toEqual([true, true])
  expect(rejected[0]).toBe(
    'TooManyOrigins: origin: the origins of env_live must have at most 4000 characters together, because a response header lists them. Remove one with pi-service origins remove.',
  )
  await removeOrigin(db, { environmentId: 'env_live', origin: 'https://shop-0.example.com' })
  expect(await add('https://shop-0.example.com')).toContain('https://shop-0.example.com')
})

test('lists keys without their secrets, and revokes one for good', async () => {
  const environment = { id: environmentId, mode: 'test' } as const
  const create = async (now: Date, expiresAt?: Date) =>
    await createApiKey(db, keys, { environment, now, expiresAt })
  const [second, first] = [await create(at(1)), await create(at(0), at(9))]
  expect(changes).toEqual(['environments', 'environments'])
  expect(first).toEqual({
    id: expect.stringMatching(/^key_[A-Za-z0-9]{16}$/),
    apiKey: expect.stringMatching(/^pi_sk_test_[A-Za-z0-9]{36}$/),
  })
  changes.length = 0
  expect(await revokeApiKey(db, { id: first.id, now: at(2) })).toBe(true)
  expect(changes).toEqual(['environments'])
  expect(await revokeApiKey(db, { id: first.id, now: at(3) })).toBe(true)
  changes.length = 0
  expect(await revokeApiKey(db, { id: 'key_none', now: at(3) })).toBe(false)
  expect(changes).toEqual([])
  const listed = { merchant: 'Ararat Tea House', environment: 'test' }
  const display = ({ apiKey }: typeof first) => `pi_sk_test_…${apiKey.slice(-4)}`
  expect(await listApiKeys(db)).toEqual([
    {
      ...{ ...listed, id: first.id, display: display(first) },
      ...{ createdAt: at(0), expiresAt: at(9), revokedAt: at(2) },
    },
    {
      ...{ ...listed, id: second.id, display: display(second) },
      ...{ createdAt: at(1), expiresAt: null, revokedAt: null },
    },
  ])
  const environments = await listEnvironments(db, at(4))
  expect(environments.find((each) => each.workingKeys > 0)).toMatchObject({
    ...{ ...listed, workingKeys: 1 },
  })
})
