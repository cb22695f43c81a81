/**
 * Applies passed deadlines to intents that no request reads, and deletes what is no longer needed: old
 * idempotency keys, and the tokens of challenges.
 *
 * Every instance runs one; they skip each other's rows.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { logError } from '../log.ts'
import { environmentNow } from '../merchants/environments.ts'
import { packedStoredIntent, readStoredIntent } from './intent-row.ts'
import { applyDeadlines, type PackedRow } from './intents.ts'
import { lifetimes } from './lifetimes.ts'

/** How often it runs, in milliseconds, and how many rows it takes at a time. */
const interval = 10_000
const rowsAtOnce = 200
/** Of one round. The rest waits for the next round, so that requests get their turn. */
const batches = 100

/** What a round needs. */
export interface ReaperOptions {
  readonly db: Database
  /** Real time. */
  readonly now: () => Date
}

/** Starts a reaper. Returns the function that stops it: it abandons its batch, and starts no other. */
export function startReaper(
  options: ReaperOptions & { readonly log: Logger },
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round
      .then(async () => await reap(options, signal))
      .catch((error: unknown) => {
        if (signal.aborted) return
        logError(options.log, error, { event: 'A reaper round failed', level: 'warn' })
      })
  }, interval)
  timer.unref()
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await round
  }
}

/**
 * One round: everything whose deadline has passed.
 *
 * @param signal Ends it between two statements; the batch that has not ended is rolled back.
 */
export async function reap(
  { db, now }: ReaperOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const all = async (some: () => Promise<number>): Promise<void> => {
    for (let more = batches; more > 0 && !signal.aborted; more--) {
      if ((await some()) < rowsAtOnce) return
    }
  }
  await all(async () => await applySome(db, now(), signal))
  await all(async () => await releaseSome(db, now()))
  await all(async () => await deleteSome(db, now()))
}

interface DueRow extends PackedRow {
  readonly clockOffset: number
}

async function applySome(db: Database, now: Date, signal: AbortSignal): Promise<number> {
  return await db.transaction(async (tx) => {
    // Each half has its index. A sandbox's clock may be ahead, so the environment's time decides last.
    const rows = await tx.query<DueRow>`
      select ${packedStoredIntent} as packed,
             (select clock_offset from environments where id = environment_id) as "clockOffset"
        from payment_intents
       where (
               (status in ('requires_payment_method', 'requires_action')
                and expires_at <= ${now}::timestamptz + interval '1 ms' * (
                  select max(clock_offset) from environments))
               or status in ('requires_action', 'processing')
             )
         and least(
               case when status <> 'processing' then expires_at end,
               next_action_expires_at,
               (settlement ->> 'at')::timestamptz)
             <= ${now}::timestamptz + interval '1 ms' * (
                  select clock_offset from environments where id = environment_id)
       limit ${rowsAtOnce}
         for update skip locked`
    for (const { clockOffset, packed } of rows) {
      signal.throwIfAborted()
      await applyDeadlines(tx, readStoredIntent(packed), environmentNow({ clockOffset }, now))
    }
    return rows.length
  })
}

async function releaseSome(db: Database, now: Date): Promise<number> {
  // A key's end is in its sandbox's own time, as its creation was. The first limit is for the index.
  const released = await db.query`
    update payment_intents
       set idempotency_hash = null, idempotency_fingerprint = null, idempotency_expires_at = null
     where id in (
       select id from payment_intents
        where idempotency_hash is not null
          and idempotency_expires_at <= ${now}::timestamptz + interval '1 ms' * (
                select max(clock_offset) from environments)
          and idempotency_expires_at <= ${now}::timestamptz + interval '1 ms' * (
                select clock_offset from environments where id = environment_id)
        limit ${rowsAtOnce} for update skip locked)
    returning id`
  return released.length
}

/** A token shows where the test bank may report its end: as long as the checkout can be opened. */
async function deleteSome(db: Database, now: Date): Promise<number> {
  const deleted = await db.query`
    delete from challenge_tokens
     where token_hash in (
       select t.token_hash
         from challenge_tokens t
         join challenges c on c.id = t.challenge_id
         join payment_intents i on i.id = c.intent_id
        where i.finalized_at + interval '1 ms' * ${lifetimes.secretAfterFinal}::bigint
              <= ${now}::timestamptz + interval '1 ms' * (
                   select clock_offset from environments where id = i.environment_id)
        limit ${rowsAtOnce} for update of t skip locked)
    returning challenge_id`
  return deleted.length
}
