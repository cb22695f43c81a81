import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../src/merchants/api-keys.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { openStore, type Store } from '../../src/start/open-store.ts'
import { create, startTestService } from '../support/service.ts'

let directory: string
let file: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pi-first-key-'))
  file = join(directory, 'sandbox.json')
})
afterAll(async () => await rm(directory, { recursive: true }))

/** Starts once, and returns the key that it shows, whether that works, and what it logged. */
async function start(): Promise<{ apiKey: string; status: number; log: string }> {
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const service = await startTestService({ PI_DATA_DIR: directory }, log)
  try {
    const { status } = await create(service)
    return { apiKey: service.apiKey, status, log: lines.join('') }
  } finally {
    await service.stop()
  }
}

type Make = (store: Store) => Promise<string>

/** Makes a key that is put into the file before a start. */
const keys: readonly (readonly [reason: string, make: Make])[] = [
  [
    'was revoked',
    async (store) => {
      const { id, apiKey } = await newKey(store, 'test')
      await revokeApiKey(store.db, { id, now: new Date() })
      return apiKey
    },
  ],
  ['has expired', async (store) => (await newKey(store, 'test', new Date(0))).apiKey],
  ['is for a live environment', async (store) => (await newKey(store, 'live')).apiKey],
  ['is unknown in this store', async () => `pi_sk_test_${'0'.repeat(36)}`],
]

async function newKey(
  { db, keys }: Store,
  mode: 'test' | 'live',
  expiresAt?: Date,
): Promise<{ id: string; apiKey: string }> {
  const now = new Date()
  const environment = await ensureEnvironment(db, { merchant: 'Demo Shop', mode }, now)
  return await createApiKey(db, keys, { environment, now, expiresAt })
}

test('shows the same key at each start, without a word', async () => {
  const [first, second] = [await start(), await start()]
  expect(second).toEqual(first)
  expect(first).toMatchObject({ status: 201, log: '' })
})

for (const [reason, make] of keys) {
  test(`creates and stores another key if the stored one ${reason}`, async () => {
    const store = await openStore({
      store: { kind: 'directory', directory },
      secretKeys: undefined,
    })
    const kept = await make(store)
    await store.close()
    await writeFile(file, JSON.stringify({ apiKey: kept }))
    const started = await start()
    expect(started.apiKey).not.toBe(kept)
    expect(started.status).toBe(201)
    expect(started.log).toContain(`sandbox.json ${reason}. PI_API_KEY is a new one`)
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ apiKey: started.apiKey })
    expect(started.log).not.toContain(started.apiKey)
    expect(started.log).not.toContain(kept)
    expect(await start()).toEqual({ apiKey: started.apiKey, status: 201, log: '' })
  })
}
