/**
 * Applies passed deadlines of intents that no request reads. Deletes expired idempotency keys and challenge
 * tokens.
 *
 * Each instance runs a reaper. They skip rows that another one has locked.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { logError } from '../log.ts'
import { environmentNow } from '../merchants/environments.ts'
import { packedStoredIntent, readStoredIntent } from './intent-row.ts'
import { applyDeadlines, type PackedRow, type StoreAndClock } from './intents.ts'
import { lifetimes } from './lifetimes.ts'

/** Time between rounds in milliseconds, and number of rows in a batch. */
const interval = 10_000
const batchSize = 200
/** Maximum batches in a round, so that a round does not block requests. */
const maxBatches = 100

/** Starts a reaper. Returns the function that stops it, which rolls back a running batch. */
export function startReaper(
  options: StoreAndClock & { readonly log: Logger },
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
 * Runs one round.
 *
 * @param signal - Ends the round. A batch that has not ended is rolled back.
 */
export async function reap(
  { db, now }: StoreAndClock,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const runBatches = async (batch: () => Promise<number>): Promise<void> => {
    for (let left = maxBatches; left > 0 && !signal.aborted; left--) {
      if ((await batch()) < batchSize) return
    }
  }
  await runBatches(async () => await applyDeadlinesBatch(db, now(), signal))
  await runBatches(async () => await releaseKeysBatch(db, now()))
  await runBatches(async () => await deleteTokensBatch(db, now()))
}

interface DueRow extends PackedRow {
  readonly clockOffset: number
}

async function applyDeadlinesBatch(db: Database, now: Date, signal: AbortSignal): Promise<number> {
  return await db.transaction(async (tx) => {
    // Each side of the `or` has an index. The last condition uses the time of the intent's environment.
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
       limit ${batchSize}
         for update skip locked`
    for (const { clockOffset, packed } of rows) {
      signal.throwIfAborted()
      await applyDeadlines(tx, readStoredIntent(packed), environmentNow({ clockOffset }, now))
    }
    return rows.length
  })
}

async function releaseKeysBatch(db: Database, now: Date): Promise<number> {
  // Keys expire in the time of their environment. The condition with `max` is for the index.
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
        limit ${batchSize} for update skip locked)
    returning id`
  return released.length
}

/** Deletes challenge tokens of intents whose checkout can no longer be opened. */
async function deleteTokensBatch(db: Database, now: Date): Promise<number> {
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
        limit ${batchSize} for update of t skip locked)
    returning challenge_id`
  return deleted.length
}
