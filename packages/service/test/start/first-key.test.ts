import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { newSecretKeys, readSecretKeys } from '../../src/secret-keys.ts'
import { firstKey } from '../../src/start/first-key.ts'
import { temporaryFolder } from '../support/lifetime.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
const keys = readSecretKeys(newSecretKeys())
const now = (): Date => new Date()
const directory = temporaryFolder()
const file = join(directory, 'sandbox.json')
const logged: string[] = []

beforeEach(() => {
  logged.length = 0
})

/** Returns the key that a start shows, which works. */
async function start(): Promise<string> {
  const log = pino({ level: 'warn' }, { write: (line) => void logged.push(line) })
  const store = { kind: 'directory', directory } as const
  const apiKey = await firstKey({ demo: false, origins: [], store }, { db, keys, log, now })
  const headers = { authorization: `Bearer ${apiKey}` }
  const { authenticate } = createAuthenticator({ db, keys, now })
  expect(await authenticate({ headers, socket: {} } as never)).toMatchObject({ mode: 'test' })
  return String(apiKey)
}

async function newKey(mode: 'test' | 'live', expiresAt?: Date) {
  const environment = { id: `env_${mode}`, mode }
  return await createApiKey(db, keys, { environment, now: now(), expiresAt })
}

test('shows the same key at each start, without a line in the log', async () => {
  expect(await start()).toBe(await start())
  expect(logged).toEqual([])
})

test.each([
  [
    'was revoked',
    async () => {
      const { id, apiKey } = await newKey('test')
      await revokeApiKey(db, { id, now: now() })
      return apiKey
    },
  ],
  ['has expired', async () => (await newKey('test', new Date(0))).apiKey],
  ['is for a live environment', async () => (await newKey('live')).apiKey],
  ['is unknown in this store', async () => `pi_sk_test_${'0'.repeat(36)}`],
] as const)('creates and stores another key if the stored one %s', async (reason, storedKey) => {
  const stored = await storedKey()
  writeFileSync(file, JSON.stringify({ apiKey: stored }))
  const apiKey = await start()
  expect(apiKey).not.toBe(stored)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ apiKey })
  expect(logged).toEqual([
    expect.stringContaining(`sandbox.json ${reason}. PI_API_KEY is a new one`),
  ])
  for (const key of [apiKey, stored]) expect(logged.join()).not.toContain(key)
  expect([await start(), logged]).toEqual([apiKey, [expect.anything()]])
})
