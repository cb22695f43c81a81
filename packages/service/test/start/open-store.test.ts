import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey, listApiKeys, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { newSecretKeys } from '../../src/secret-keys.ts'
import { openStore, type Store } from '../../src/start/open-store.ts'

const k1 = newSecretKeys()
const k2 = newSecretKeys().replace('k1', 'k2')
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pi-rotation-'))
})
afterAll(async () => await rm(directory, { recursive: true }))

async function withStore<Result>(
  secretKeys: string,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await openStore({ store: { kind: 'directory', directory }, secretKeys })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Makes one key, which expires after so many milliseconds. */
async function newKey({ db, keys }: Store, merchant: string, lifetime?: number): Promise<string> {
  const now = new Date()
  const environment = await ensureEnvironment(db, { merchant, mode: 'test' }, now)
  const expiresAt = lifetime === undefined ? undefined : new Date(now.getTime() + lifetime)
  return (await createApiKey(db, keys, { environment, now, expiresAt })).id
}

test('an old secret key is needed by working API keys only, and a start names them', async () => {
  const [used, expired, revoked, later] = await withStore(k1, async (store) => {
    const ids = [
      await newKey(store, 'Ararat Tea House'),
      await newKey(store, 'Ararat Tea House', -1000),
      await newKey(store, 'Sevan Books'),
      await newKey(store, 'Sevan Books', 3600_000),
    ] as const
    await revokeApiKey(store.db, { id: ids[2], now: new Date() })
    return ids
  })
  const hints = await withStore(`${k2},${k1}`, async ({ db }) =>
    Object.fromEntries((await listApiKeys(db)).map(({ id, display }) => [id, display])),
  )
  const refusal = await withStore(k2, async () => '').catch((error: Error) => error.message)
  expect(refusal).toContain('PI_SECRET_KEYS: key k1 is missing')
  expect(refusal).toContain(`Ararat Tea House (test) ${hints[used]} ${used}`)
  expect(refusal).toContain(`Sevan Books (test) ${hints[later]} ${later}`)
  expect(refusal).toContain(`pi-service keys revoke ${used}`)
  expect(refusal).not.toContain(expired)
  expect(refusal).not.toContain(revoked)

  await withStore(`${k2},${k1}`, async ({ db }) => {
    for (const id of [used, later]) await revokeApiKey(db, { id, now: new Date() })
  })
  expect(await withStore(k2, async ({ keys }) => keys.kids)).toEqual(['k2'])
})
