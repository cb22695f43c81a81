/** The store without HTTP, and the statements that are its baseline. @module */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import pg from 'pg'
import type { Database } from '../../service/src/db/database.ts'
import { randomBase62, randomSalt } from '../../service/src/ids.ts'
import { createBatch } from '../../service/src/intents/create-batch.ts'
import type { Filled, Width } from './service-server.ts'

/** The row that a create writes, with random bytes for its hashes. */
const insert = `
insert into payment_intents (
  id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
  idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
  expires_at, created_at, updated_at)
values (
  'pi_' || substr(md5(random()::text), 1, 24), (select id from environments limit 1), 150000, 'AMD',
  'A-1001', decode(md5(random()::text), 'hex'), 'k1',
  sha256(random()::text::bytea), sha256(random()::text::bytea), now() + interval '2 days',
  now() + interval '1 day', now(), now())
on conflict (environment_id, idempotency_hash) do nothing`

/** Rows of one statement, which stays below the statement timeout. */
const batchSize = 50_000

/**
 * Replaces all intents by `count` others, as if they had been created long ago: vacuumed and analyzed.
 *
 * @returns 10,000 random ids, and bytes on disk per intent with all indexes.
 */
export async function fill(db: Database, count: number): Promise<Filled> {
  await db.script('truncate payment_intents cascade')
  // Building an index at the end takes a fraction of the time of growing it row by row.
  const indexes = await db.query<{ name: string; statement: string }>`
    select indexname as name, indexdef as statement from pg_indexes
     where tablename = 'payment_intents' and indexname not in (
       select conname from pg_constraint where conrelid = 'payment_intents'::regclass)`
  for (const { name } of indexes) await db.script(`drop index ${name}`)
  for (let left = count; left > 0; left -= batchSize) {
    await db.query`
      insert into payment_intents (
        id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
        idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
        expires_at, created_at, updated_at)
      select 'pi_' || substr(md5(n::text || random()), 1, 24), environment, 150000, 'AMD', 'A-' || n,
             decode(md5(random()::text), 'hex'), 'k1', sha256((n::text || random())::bytea),
             sha256(n::text::bytea), now() + interval '2 days', now() + interval '1 day',
             now(), now()
        from generate_series(1, ${Math.min(left, batchSize)}::int) n,
             (select id as environment from environments limit 1) one`
  }
  for (const { statement } of indexes) await db.script(statement)
  await db.query`vacuum analyze payment_intents`
  await db.query`checkpoint`
  const ids = await db.query<{ id: string }>`
    select id from payment_intents order by md5(id) limit 10000`
  const [size] = await db.query<{ bytes: number }>`
    select pg_total_relation_size('payment_intents') / greatest(1, count(*)) as bytes
      from payment_intents`
  return { ids: ids.map(({ id }) => id), bytes: size?.bytes ?? Number.NaN }
}

/** Creates without HTTP, in this process. Returns creates per second. */
export async function createInStore(
  database: Database,
  { concurrency, seconds }: Width,
): Promise<number> {
  const create = createBatch(database)
  const [row] = await database.query<{ id: string }>`select id from environments limit 1`
  const environmentId = String(row?.id)
  return await perSecond({ concurrency, seconds }, async () => {
    await create({
      ...{ id: `pi_${randomBase62(24)}`, environmentId, secretKid: 'k1' },
      secretSalt: randomSalt(16),
      body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' },
      createdAt: new Date(),
      idempotency: {
        hash: randomSalt(32).toString('hex'),
        fingerprint: randomSalt(32).toString('hex'),
      },
    })
  })
}

/** Sends prepared inserts with the values of a create, one after another, each with a commit. Returns inserts per second. */
export async function insertOneByOne(url: string, seconds: number): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query('select id from environments limit 1')
  const result = await perSecond({ concurrency: 1, seconds }, async () => {
    await client.query({
      name: 'insert',
      text: `
        insert into payment_intents (
          id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
          idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
          expires_at, created_at, updated_at)
        values ($1, $2, 150000, 'AMD', 'A-1001', $3, 'k1', $4, $5, now() + interval '2 days',
                now() + interval '1 day', now(), now())`,
      values: [
        ...[`pi_${randomBase62(24)}`, rows[0]?.id],
        ...[randomSalt(16), randomSalt(32), randomSalt(32)],
      ],
    })
  })
  await client.end()
  return result
}

async function perSecond(
  { concurrency, seconds }: Width,
  work: () => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  const end = startedAt + seconds * 1000
  let count = 0
  const loop = async (): Promise<void> => {
    for (; performance.now() < end; count++) await work()
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
  return count / ((performance.now() - startedAt) / 1000)
}

/** Inserts one intent per transaction. Returns transactions per second. */
export async function runPgbench(
  { binaries, url }: Pick<TemporaryPostgres, 'binaries' | 'url'>,
  { concurrency, seconds }: Width,
): Promise<number> {
  const child = spawn(
    join(binaries, 'pgbench'),
    [
      ...['-n', '-M', 'prepared', '-f', '-', '-c', String(concurrency)],
      ...['-j', '1', '-T', String(Math.max(2, Math.round(seconds))), url],
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  child.stdin.end(`${insert.replaceAll('\n', ' ')};\n`)
  const out = await text(child.stdout)
  const [, tps] = /tps = ([\d.]+) \(without/.exec(out) ?? /tps = ([\d.]+)/.exec(out) ?? []
  if (!tps) throw new Error(`pgbench printed no rate: ${out}`)
  return Number(tps)
}
