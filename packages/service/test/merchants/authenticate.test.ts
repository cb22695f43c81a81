import { apiKeyPattern } from '@pi-checkout/contract'
import type { FastifyRequest } from 'fastify'
import { beforeEach, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import type { Statement } from '../../src/store/sql.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
const start = new Date('2026-11-21T12:00:00Z')
let now = start
/** Statements that read API keys. */
let statements = 0
let afterReading = async (): Promise<void> => {}
/** Whether the store returns no row, as before a key was created. */
let isEmpty = false

const observed = {
  ...db,
  query: async <Row>(statement: Statement): Promise<Row[]> => {
    if (statement.text.includes('api_keys')) statements++
    const rows = await db.query<Row>(statement)
    await afterReading()
    return isEmpty ? [] : rows
  },
}
const auth = createAuthenticator(observed, () => now)

beforeEach(() => {
  now = start
  statements = 0
  afterReading = async () => {}
  isEmpty = false
})

async function newKey(mode: 'test' | 'live') {
  const environment = await ensureEnvironment(db, { merchant: 'Garni Crafts', mode }, now)
  return await createApiKey(db, { environment, now })
}

async function authenticate(apiKey: string) {
  return await send(`Bearer ${apiKey}`)
}

async function send(authorization: string | undefined) {
  return await auth.authenticate({ headers: { authorization } } as unknown as FastifyRequest)
}

const revoked = {
  code: 'revoked_credentials',
  message: 'The secret API key was revoked. Create another with pi-service keys create.',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
}
const unknown = {
  code: 'invalid_credentials',
  message: 'No environment has this secret API key.',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
}
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

test('rejects a request without a bearer token', async () => {
  await expect(send(undefined)).rejects.toMatchObject({
    code: 'missing_credentials',
    message: 'Send the secret API key as Authorization: Bearer <API_KEY>.',
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
  isEmpty = true
  await expect(authenticate(apiKey)).rejects.toMatchObject(unknown)
  isEmpty = false
  expect(await authenticate(apiKey)).toMatchObject({ mode: 'test' })
})
