import { expect, test } from 'vitest'
import { listApiKeys, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { createAuthenticator } from '../../src/merchants/authenticate.ts'
import { newSecretKey, readSecretKey } from '../../src/secret-keys.ts'
import { firstKey } from '../../src/start/first-key.ts'
import { sql } from '../../src/store/sql.ts'
import { openTestStore } from '../support/store.ts'

const db = await openTestStore()
// The start creates the first merchant.
await db.query(sql`delete from merchants`)
const keys = readSecretKey(newSecretKey())
const now = (): Date => new Date()
const store = { kind: 'postgres', url: '' } as const

/** Returns the key that a start shows, which works. */
async function start(): Promise<string> {
  const apiKey = await firstKey({ demo: true, origins: [], store }, { db, keys, now })
  const headers = { authorization: `Bearer ${apiKey}` }
  const { authenticate } = createAuthenticator({ db, now })
  const call = { headers, socket: {} } as never
  expect(await authenticate(call)).toMatchObject({ merchantName: 'Tsiran', mode: 'test' })
  return String(apiKey)
}

test('shows another key after its key was revoked', async () => {
  const before = await start()
  for (const { id } of await listApiKeys(db)) await revokeApiKey(db, { id, now: now() })
  const after = await start()
  expect(after).not.toBe(before)
  expect(await start()).toBe(after)
})
