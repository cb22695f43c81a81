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
/** Statements that read API keys. */
let statements = 0
let onRead = async (rows: unknown[]): Promise<unknown[]> => rows

const db: Database = {
  ...store,
  query: async <Row>(statement: Statement): Promise<Row[]> => {
    if (statement.text.includes('api_keys')) statements++
    return (await onRead(await store.query<Row>(statement))) as Row[]
  },
}
const auth = createAuthenticator(db, () => now)

beforeEach(() => {
  now = start
  statements = 0
  onRead = async (rows) => rows
})

async function newKey(mode: 'test' | 'live') {
  const environment = await ensureEnvironment(store, { merchantName: 'Garni Crafts', mode }, now)
  return await createApiKey(store, { environment, now })
}

async function authenticate(apiKey: string) {
  return await send(`Bearer ${apiKey}`)
}

async function send(authorization: string | undefined) {
  return await auth.authenticate({ headers: { authorization } } as unknown as FastifyRequest)
}

const headers = { 'www-authenticate': 'Bearer error="invalid_token"' }
const revoked = { code: 'revoked_credentials', headers }
const unknown = { code: 'invalid_credentials', headers }
const later = (milliseconds: number): Date => new Date(start.getTime() + milliseconds)

test('rejects a malformed key without a statement', async () => {
  for (const apiKey of ['x', 'pi_sk_test_']) {
    await expect(authenticate(apiKey)).rejects.toMatchObject(unknown)
  }
  expect(statements).toBe(0)
})

/** Returns a new key's id of the environment and its random characters. */
async function partsOfNewKey(mode: 'test' | 'live'): Promise<readonly [string, string]> {
  const [, , environment = '', random = ''] = apiKeyPattern.exec((await newKey(mode)).apiKey) ?? []
  return [environment, random]
}

test('rejects a key that names another environment', async () => {
  const [environment, random] = await partsOfNewKey('test')
  const [other] = await partsOfNewKey('live')
  const keyIn = (named: string): string => `pi_sk_test_${named}_${random}`
  expect(await authenticate(keyIn(environment))).toMatchObject({ mode: 'test' })
  await expect(authenticate(keyIn(other))).rejects.toMatchObject(unknown)
  expect(statements).toBe(2)
})

test('rejects every request after a key was revoked during its lookup', async () => {
  const { id, apiKey } = await newKey('test')
  onRead = async (rows) => {
    onRead = async (others) => others
    await revokeApiKey(store, id, { now })
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
  await revokeApiKey({ ...store, notify: () => {} }, id, { now: start })
  now = later(4999)
  await authenticate(apiKey)
  now = later(5000)
  await expect(authenticate(apiKey)).rejects.toMatchObject(revoked)
})

test('rejects a request without a bearer token', async () => {
  await expect(send(undefined)).rejects.toMatchObject({
    code: 'missing_credentials',
    headers: { 'www-authenticate': 'Bearer' },
  })
  const { apiKey } = await newKey('test')
  for (const header of [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${apiKey}`,
    `x Bearer ${apiKey}`,
    `Bearer ${apiKey} x`,
    `Bearer${apiKey}`,
    `Bearer ${'x'.repeat(513)}`,
  ]) {
    await expect(send(header), header).rejects.toMatchObject(unknown)
  }
  expect(statements).toBe(0)
  expect(await send(`bearer   ${apiKey}`)).toMatchObject({ mode: 'test' })
})

test('accepts a new key immediately after it was unknown', async () => {
  const { apiKey } = await newKey('test')
  onRead = async () => []
  await expect(authenticate(apiKey)).rejects.toMatchObject(unknown)
  onRead = async (rows) => rows
  expect(await authenticate(apiKey)).toMatchObject({ mode: 'test' })
})
