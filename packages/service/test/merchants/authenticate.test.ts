import type { IncomingMessage } from 'node:http'
import { crc32 } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { base62Digits, randomBase62 } from '../../src/ids.ts'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
const keys = readSecretKeys(newSecretKeys())
const start = new Date('2026-11-21T12:00:00Z')
let now = start
let statements = 0
let afterReading = async (): Promise<void> => {}

const auth = createAuthenticator({
  db: {
    ...db,
    query: async <Row>(...statement: Parameters<typeof db.query>): Promise<Row[]> => {
      statements++
      const rows = await db.query<Row>(...statement)
      await afterReading()
      return rows
    },
  },
  keys,
  now: () => now,
})

beforeEach(() => {
  now = start
  statements = 0
  afterReading = async () => {}
})

async function newKey(mode: 'test' | 'live', expiresAt?: Date) {
  const environment = { id: `env_${mode}`, mode }
  return await createApiKey(db, keys, { environment, now, expiresAt })
}

async function authenticate(apiKey: string) {
  const headers = { authorization: `Bearer ${apiKey}` }
  return await auth.authenticate({ headers, socket: {} } as IncomingMessage)
}

const revoked = { code: 'revoked_credentials' }
const later = (milliseconds: number): Date => new Date(start.getTime() + milliseconds)

test('rejects a key from its expiry on, cached or not', async () => {
  const { apiKey } = await newKey('test', later(2000))
  const environment = { merchantName: 'Ararat Tea House', mode: 'test' }
  expect(await authenticate(apiKey)).toMatchObject(environment)
  now = later(1999)
  await authenticate(apiKey)
  now = later(2000)
  await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
  db.notify('environments')
  await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
})

test('rejects a key with a wrong checksum without a statement', async () => {
  const zeros = [`pi_sk_test_${'0'.repeat(36)}`, `pi_sk_live_${'Z'.repeat(36)}`]
  for (const apiKey of ['x', 'pi_sk_test_', ...zeros]) {
    await expect(authenticate(apiKey)).rejects.toMatchObject({ code: 'invalid_credentials' })
  }
  expect(statements).toBe(0)
})

test('looks up many unknown keys and a valid one in few statements', async () => {
  const { apiKey } = await newKey('live')
  const unknown = Array.from({ length: 200 }, () => {
    const body = randomBase62(30)
    return `pi_sk_live_${body}${base62Digits(crc32(body), 6)}`
  })
  const sent = [...unknown.slice(0, 100), apiKey, ...unknown.slice(100)]
  const results = await Promise.allSettled(sent.map(authenticate))
  expect(statements).toBeLessThan(10)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(results[100]).toMatchObject({ value: { mode: 'live' } })
})

test('rejects every request after a key was revoked during its lookup', async () => {
  const { id, apiKey } = await newKey('test')
  afterReading = async () => {
    afterReading = async () => {}
    await revokeApiKey(db, { id, now })
  }
  await authenticate(apiKey)
  for (let times = 0; times < 2; times++) {
    await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
  }
})

test('rejects a key five seconds after another instance revoked it during its lookup', async () => {
  const { id, apiKey } = await newKey('test')
  afterReading = async () => {
    now = later(3000)
  }
  await authenticate(apiKey)
  await revokeApiKey({ ...db, notify: () => {} }, { id, now: start })
  now = later(4999)
  await authenticate(apiKey)
  now = later(5000)
  await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
})
