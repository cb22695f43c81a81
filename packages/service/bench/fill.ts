/**
 * Fills a store with intents, as if they had been made long ago.
 *
 * @module
 */
import type { Database } from '../src/db/database.ts'

/** Rows of one statement: each stays below the statement timeout. */
const step = 50_000

/** Empties the store and leaves so many intents in it, with statistics and indexes as after a night. */
export async function fill(db: Database, count: number): Promise<void> {
  await db.script('truncate payment_intents cascade')
  // An index that is built at the end takes a part of the time of one that grows row by row.
  const indexes = await db.query<{ name: string; statement: string }>`
    select indexname as name, indexdef as statement from pg_indexes
     where tablename = 'payment_intents' and indexname not in (
       select conname from pg_constraint where conrelid = 'payment_intents'::regclass)`
  for (const { name } of indexes) await db.script(`drop index ${name}`)
  for (let left = count; left > 0; left -= step) {
    await db.query`
      insert into payment_intents (
        id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
        idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
        expires_at, created_at, updated_at)
      select 'pi_' || substr(md5(n::text || random()), 1, 24), environment, 150000, 'AMD', 'A-' || n,
             decode(md5(random()::text), 'hex'), 'k1', sha256((n::text || random())::bytea),
             sha256(n::text::bytea), now() + interval '2 days', now() + interval '1 day',
             now(), now()
        from generate_series(1, ${Math.min(left, step)}::int) n,
             (select id as environment from environments limit 1) one`
  }
  for (const { statement } of indexes) await db.script(statement)
  await db.query`vacuum analyze payment_intents`
  await db.query`checkpoint`
}

/** Ids from all over the store. */
export async function someIds(db: Database): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>`
    select id from payment_intents order by md5(id) limit 10000`
  return rows.map(({ id }) => id)
}

/** Bytes on disk of an intent with all its indexes. */
export async function bytesPerIntent(db: Database): Promise<number> {
  const [size] = await db.query<{ bytes: number }>`
    select pg_total_relation_size('payment_intents') / greatest(1, count(*)) as bytes
      from payment_intents`
  return size?.bytes ?? Number.NaN
}
