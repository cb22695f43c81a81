import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../src/merchants/api-keys.ts'
import { newSecretKeys, readSecretKeys } from '../src/secret-keys.ts'
import { keyFault } from '../src/start/key-fault.ts'
import { temporaryFolder } from './support/lifetime.ts'
import { startTestService } from './support/service.ts'
import { openTestStore } from './support/store.ts'

const [, random = ''] = newSecretKeys().split(':')
const sample = Buffer.alloc(32, 'sample').toString('base64url')
const form = 'must be an id of 1 to 8 characters a-z 0-9, a colon, and 32 random bytes'

test.each([
  ['a sample', `k1:${sample}`, 'entry 1 is not random'],
  ['zeros', `k1:${'A'.repeat(43)}`, 'entry 1 is not random'],
  ['a short key', `k1:${random.slice(1)}`, `entry 1 ${form}`],
  ['a passphrase', 'k1:correct horse battery staple', `entry 1 ${form}`],
  ['a key without an id', random, `entry 1 ${form}`],
  ['a long id', `production:${random}`, `entry 1 ${form}`],
  ['a sample after a key', `k2:${random},k1:${sample}`, 'entry 2 is not random'],
  ['a repeated id', `k1:${random},k1:${random}`, 'entry 2 repeats an id'],
] as const)('rejects %s with the rule, without the value', (_, text, rule) => {
  const read = () => readSecretKeys(text)
  expect(read).toThrow(TypeError)
  expect(read).toThrow(`PI_SECRET_KEYS: ${rule}`)
  for (const part of text.split(/[:, ]/).filter(({ length }) => length > 10)) {
    expect(read).not.toThrow(part)
  }
})

test('rejects a start with a sample before it creates anything', async () => {
  const data = join(temporaryFolder(), 'data')
  const start = startTestService({ PI_SECRET_KEYS: `k1:${sample}`, PI_DATA_DIR: data })
  await expect(start).rejects.toThrow('PI_SECRET_KEYS: entry 1 is not random')
  expect(existsSync(data)).toBe(false)
})

test('requires an old secret key only while valid API keys need it, and names them', async () => {
  const db = await openTestStore()
  const k1 = readSecretKeys(newSecretKeys())
  const k2 = readSecretKeys(newSecretKeys().replace('k1', 'k2'))
  await db.query`
    insert into secret_keys (kid, check_value) values ('k1', ${k1.checkValue('k1') ?? null})`
  const now = new Date()
  const newKey = async (id: string, lifetime?: number) => {
    const expiresAt = lifetime === undefined ? undefined : new Date(now.getTime() + lifetime)
    return await createApiKey(db, k1, { environment: { id, mode: 'test' }, now, expiresAt })
  }
  const used = await newKey('env_test')
  const expired = await newKey('env_test', -1000)
  const revoked = await newKey('env_other')
  const later = await newKey('env_other', 3600_000)
  await revokeApiKey(db, { id: revoked.id, now })
  const { problem = '', fix } = (await keyFault(db, k2)) ?? {}
  expect(problem).toContain('key k1 is missing')
  const display = (apiKey: string): string => `pi_sk_test_…${apiKey.slice(-4)}`
  expect(problem).toContain(`Ararat Tea House (test) ${display(used.apiKey)} ${used.id}`)
  expect(problem).toContain(`Sevan Books (test) ${display(later.apiKey)} ${later.id}`)
  expect(fix).toMatch(/pi-service keys revoke key_\w+/)
  for (const { id } of [expired, revoked]) expect(problem).not.toContain(id)
  for (const { id } of [used, later]) await revokeApiKey(db, { id, now })
  expect(await keyFault(db, k2)).toBeUndefined()
})
