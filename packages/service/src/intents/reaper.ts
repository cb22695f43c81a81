/**
 * Applies passed deadlines of intents that no request reads. Releases expired idempotency keys, and deletes
 * challenge tokens and, after `PI_RETENTION_DAYS`, final intents.
 *
 * Each instance runs a reaper. They skip rows that another one has locked.
 *
 * @module
 */
import type { Logger } from 'pino'
import { type Database, Fragment } from '../db/database.ts'
import { logError } from '../log.ts'
import { environmentNow } from '../merchants/environments.ts'
import { type PackedRow, packedStoredIntent, readStoredIntent } from './intent-row.ts'
import { applyDeadlines, type StoreAndClock } from './intents.ts'
import { lifetimes } from './lifetimes.ts'

/** Time between rounds in milliseconds. */
const interval = 10_000
/** Number of rows in a batch. Each takes less than 50 milliseconds. Deadlines are the slowest, because they change row by row. */
const batchSizes = { deadlines: 50, keys: 200, tokens: 1000, intents: 100 } as const
/** Maximum batches in a round, so that a round does not block requests. */
const maxBatches = 100
const maxTokenBatches = 10

/** Starts a reaper. Returns the function that stops it, which rolls back a running batch. */
export function startReaper(
  options: ReaperOptions & { readonly log: Logger },
): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  const progress: Progress = { token: null }
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round
      .then(async () => await reap(options, signal, progress))
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

/** The store, and days after which final intents are deleted. By default all are kept. */
interface ReaperOptions extends StoreAndClock {
  readonly retentionDays?: number | undefined
}

/** What the next round continues: the last token that was examined, or `null` for a new pass. */
interface Progress {
  token: Buffer | null
}

/** Runs one round. The signal ends it, and rolls back a batch that has not ended. */
export async function reap(
  { db, now, retentionDays }: ReaperOptions,
  signal: AbortSignal = new AbortController().signal,
  progress: Progress = { token: null },
): Promise<void> {
  const runBatches = async (max: number, batch: () => Promise<boolean>): Promise<void> => {
    for (let left = max; left > 0 && !signal.aborted; left--) {
      if (!(await batch())) return
    }
  }
  await runBatches(maxBatches, async () => await applyDeadlinesBatch(db, now(), signal))
  await runBatches(maxBatches, async () => await releaseKeysBatch(db, now()))
  await runBatches(maxTokenBatches, async () => await deleteTokensBatch(db, now(), progress))
  if (retentionDays === undefined) return
  await runBatches(maxBatches, async () => await deleteIntentsBatch(db, now(), retentionDays))
}

// The expression of the index payment_intents_deadline.
const deadline = new Fragment(`least(
  case when status <> 'processing' then expires_at end,
  next_action_expires_at,
  instant(settlement ->> 'at'))`)

interface DueRow extends PackedRow {
  readonly clockOffset: number
}

/** Returns whether there may be more, as the other batches do. */
async function applyDeadlinesBatch(db: Database, now: Date, signal: AbortSignal): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const rows = await tx.query<DueRow>`
      select ${packedStoredIntent} as packed,
             (select clock_offset from environments where id = environment_id) as "clockOffset"
        from payment_intents
       where id = any(array(
         select due.id from environments e cross join lateral (
           select id from payment_intents
            where environment_id = e.id
              and status in ('requires_payment_method', 'requires_action', 'processing')
              and ${deadline} <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
            order by ${deadline} limit ${batchSizes.deadlines}
              for update skip locked) due
          limit ${batchSizes.deadlines}))`
    for (const { clockOffset, packed } of rows) {
      signal.throwIfAborted()
      await applyDeadlines(tx, readStoredIntent(packed), environmentNow({ clockOffset }, now))
    }
    return rows.length === batchSizes.deadlines
  })
}

async function releaseKeysBatch(db: Database, now: Date): Promise<boolean> {
  const released = await db.query`
    update payment_intents
       set idempotency_hash = null, idempotency_fingerprint = null, idempotency_expires_at = null
     where id = any(array(
       select due.id from environments e cross join lateral (
         select id from payment_intents
          where environment_id = e.id and idempotency_hash is not null
            and idempotency_expires_at <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
          order by idempotency_expires_at limit ${batchSizes.keys}
            for update skip locked) due
        limit ${batchSizes.keys}))
    returning id`
  return released.length === batchSizes.keys
}

/**
 * Deletes challenge tokens of intents whose checkout can no longer be opened. No index leads to them, so all tokens are
 * examined in the order of their hashes, a part in each round.
 */
async function deleteTokensBatch(db: Database, now: Date, progress: Progress): Promise<boolean> {
  const [examined] = await db.query<{ count: number; last: Buffer | null }>`
    with examined as materialized (
      select token_hash, challenge_id from challenge_tokens
       where token_hash > ${progress.token ?? Buffer.alloc(0)}
       order by token_hash limit ${batchSizes.tokens}
    ), deleted as (
      delete from challenge_tokens t
       using examined x
        join challenges c on c.id = x.challenge_id
        join payment_intents i on i.id = c.intent_id
        join environments e on e.id = i.environment_id
       where t.token_hash = x.token_hash
         and i.finalized_at + interval '1 ms' * ${lifetimes.secretAfterFinal}::bigint
             <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
    )
    select count(*)::int as count,
           (select token_hash from examined order by token_hash desc limit 1) as last
      from examined`
  const hasMore = examined?.count === batchSizes.tokens
  progress.token = (hasMore && examined.last) || null
  return hasMore
}

/** Deletes intents that have been final for some days, with all that belongs to them. */
async function deleteIntentsBatch(db: Database, now: Date, days: number): Promise<boolean> {
  // An index leads to the oldest intents of an environment. They are final a day after their creation, so nearly all that
  // are read are deleted. One that still has its key is replayed.
  const deleted = await db.query`
    delete from payment_intents
     where id = any(array(
       select old.id
         from environments e
        cross join lateral (
          select ${now}::timestamptz + interval '1 ms' * e.clock_offset
                 - interval '1 day' * ${days}::int as latest) final
        cross join lateral (
          select id from payment_intents
           where environment_id = e.id
             and created_at <= final.latest - interval '1 ms' * ${lifetimes.intent}::bigint
             and finalized_at <= final.latest and idempotency_hash is null
           order by created_at limit ${batchSizes.intents}
             for update skip locked) old
        limit ${batchSizes.intents}))
    returning id`
  return deleted.length === batchSizes.intents
}
