import { fdatasyncSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Database } from '../../src/db/database.ts'
import { openPglite } from '../../src/db/embedded/pglite.ts'
import { migrate } from '../../src/db/migrate.ts'
import { findBatch } from '../../src/intents/find-batch.ts'

// Only the disk can be made to fail, and its syncs are counted.
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  return { ...fs, fdatasyncSync: vi.fn(fs.fdatasyncSync) }
})

let db: Database
let folder: string
let disk: Database

beforeAll(async () => {
  db = await openPglite(undefined)
  await migrate(db)
  folder = await mkdtemp(join(tmpdir(), 'pi-sync-'))
  disk = await openPglite(folder)
  await disk.script('create table notes (text text)')
})

afterAll(async () => {
  await db.close()
  await disk.close()
  await rm(folder, { recursive: true })
})

test('what the embedded store has answered is not kept in memory', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const answer = async () => await db.query`select repeat('x', 20000) as text`
  await answer()
  collect()
  const before = process.memoryUsage().heapUsed
  for (let count = 0; count < 500; count++) await answer()
  collect()
  const megabytes = (process.memoryUsage().heapUsed - before) / 2 ** 20
  expect(megabytes).toBeLessThan(3)
})

test('a retrieve that was planned for a small store takes the index of a large one', async () => {
  await db.script(`
    insert into merchants (id, name, created_at) values ('mer_1', 'Shop', now());
    insert into environments (id, merchant_id, mode, idempotency_salt, created_at)
    values ('env_1', 'mer_1', 'test', decode(repeat('07', 32), 'hex'), now())`)
  const find = findBatch(db)
  await insert({ from: 1, to: 500 })
  for (let count = 0; count < 10; count++) await find({ id: 'pi_1', environmentId: 'env_1' })

  await insert({ from: 501, to: 1000 })
  const before = await rowsRead()
  const found = await Promise.all([
    find({ id: 'pi_1000', environmentId: 'env_1' }),
    find({ id: 'pi_1000', environmentId: 'env_2' }),
  ])
  expect(found.map((intent) => intent?.orderId)).toEqual(['A-1000', undefined])
  expect((await rowsRead()) - before).toBeLessThanOrEqual(2)
})

test('each commit is one sync of the disk, and a read is none', async () => {
  const syncs = vi.mocked(fdatasyncSync).mock
  const before = syncs.calls.length
  for (let count = 0; count < 20; count++) await disk.query`insert into notes values ('kept')`
  expect(syncs.calls.length - before).toBe(20)
  await disk.query`select from notes`
  expect(syncs.calls.length - before).toBe(20)
})

test('a disk that cannot keep what it was given fails the commit, then and after; what was acknowledged stays', async () => {
  await disk.query`truncate notes`
  await disk.query`insert into notes values ('acknowledged')`
  const broken = async (statement: () => Promise<unknown>): Promise<void> => {
    vi.mocked(fdatasyncSync).mockImplementationOnce(() => {
      throw Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })
    })
    await expect(statement()).rejects.toMatchObject({ name: 'StoreError', unavailable: true })
  }
  await broken(async () => await disk.query`insert into notes values ('refused')`)
  await disk.query`insert into notes values ('after')`
  await broken(async () => await disk.query`checkpoint`)
  const notes = await disk.query<{ text: string }>`select text from notes where text <> 'refused'`
  expect(notes.map(({ text }) => text)).toEqual(['acknowledged', 'after'])
})

async function insert({ from, to }: { readonly from: number; readonly to: number }): Promise<void> {
  await db.query`
    insert into payment_intents (
      id, environment_id, amount, currency, order_id, secret_kid, expires_at, created_at, updated_at)
    select 'pi_' || n, 'env_1', 1, 'AMD', 'A-' || n, 'k1', now() + interval '1 day', now(), now()
      from generate_series(${from}::int, ${to}::int) n`
}

async function rowsRead(): Promise<number> {
  await db.query`select pg_stat_force_next_flush()`
  const [table] = await db.query<{ rows: number }>`
    select seq_tup_read + idx_tup_fetch as rows from pg_stat_user_tables where relname = 'payment_intents'`
  return table?.rows ?? Number.NaN
}
