import { apiKeyPattern } from '@pi-checkout/contract'
import type { FastifyRequest } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { ensureEnvironment } from '../../src/merchants/environments.ts'
import type { Database } from '../../src/store/database.ts'
import type { Statement } from '../../src/store/sql.ts'
import { openTestStore } from '../support/store.ts'

const store = await openTestStore()
const start = new Date('2026-11-21T12:00:00Z')
let now = start
/** Called while a key is looked up, with the rows that were read. */
let onRead = async (rows: unknown[]): Promise<unknown[]> => rows

const db: Database = {
  ...store,
  query: async <Row>(statement: Statement) =>
    (await onRead(await store.query<Row>(statement))) as Row[],
}
const auth = createAuthenticator(db, () => now)

beforeEach(() => {
  now = start
  onRead = async (rows) => rows
})

async function newKey(mode: 'test' | 'live') {
  const environment = await ensureEnvironment(store, { merchantName: 'Garni Crafts', mode }, now)
  return await createApiKey(store, { environment, now })
}

const send = async (authorization: string | undefined) =>
  await auth.authenticate({ headers: { authorization } } as unknown as FastifyRequest)
const authenticate = async (apiKey: string) => await send(`Bearer ${apiKey}`)

const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
const revoked = { code: 'revoked_credentials', headers }
const unknown = { code: 'invalid_credentials', headers }
const later = (milliseconds: number): Date => new Date(start.getTime() + milliseconds)

test('rejects a key that names another environment', async () => {
  const [{ apiKey }, live] = [await newKey('test'), await newKey('live')]
  const environmentOf = (key: string): string => apiKeyPattern.exec(key)?.[2] ?? ''
  expect(await authenticate(apiKey)).toMatchObject({ mode: 'test' })
  const other = apiKey.replace(environmentOf(apiKey), environmentOf(live.apiKey))
  await expect(authenticate(other)).rejects.toMatchObject(unknown)
})

test('rejects every request after a key was revoked during its lookup', async () => {
  const { id, apiKey } = await newKey('test')
  onRead = async (rows) => {
    onRead = async (others) => others
    await revokeApiKey(store, id, now)
    return rows
  }
  await authenticate(apiKey)
  for (let times = 0; times < 2; times++) {
    await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
  }
})

test('rejects a key five seconds after another instance revoked it during its lookup', async () => {
  const { id, apiKey } = await newKey('test')
  onRead = async (rows) => {
    now = later(3000)
    return rows
  }
  await authenticate(apiKey)
  await revokeApiKey({ ...store, notify: () => {} }, id, start)
  now = later(4999)
  await authenticate(apiKey)
  now = later(5000)
  await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
})

test('rejects a request without a bearer token', async () => {
  const missing = { code: 'missing_credentials', headers: { 'www-authenticate': 'Bearer' } }
  await expect(send(undefined)).rejects.toMatchObject(missing)
  const { apiKey } = await newKey('test')
  let reads = 0
  onRead = async (rows) => {
    reads++
    return rows
  }
  const malformed = ['', 'Bearer', 'Bearer ', 'Bearer x', 'Bearer pi_sk_test_']
  const around = [`Basic ${apiKey}`, `x Bearer ${apiKey}`, `Bearer ${apiKey} x`, `Bearer${apiKey}`]
  for (const header of [...malformed, ...around, `Bearer ${'x'.repeat(513)}`]) {
    await expect(send(header), header).rejects.toMatchObject(unknown)
  }
  // Nothing was read for them.
  expect(reads).toBe(0)
  expect(await send(`bearer   ${apiKey}`)).toMatchObject({ mode: 'test' })
})

test('accepts a new key immediately after it was unknown', async () => {
  const { apiKey } = await newKey('test')
  onRead = async () => []
  await expect(authenticate(apiKey)).rejects.toMatchObject(unknown)
  onRead = async (rows) => rows
  expect(await authenticate(apiKey)).toMatchObject({ mode: 'test' })
})
