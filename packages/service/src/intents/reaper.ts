/**
 * Writes what time has done to intents that nobody reads, and lets go of what has served: old
 * idempotency keys, and the tokens of challenges.
 *
 * Every instance runs one; they skip each other's rows.
 *
 * @module
 */
import type { Context } from '../context.ts'
import { logError } from '../log.ts'
import { timeOf } from '../merchants/environments.ts'
import { lifetimes } from './lifetimes.ts'
import { type IntentRow, intentColumns, intentOf, settleDue } from './store.ts'

/** How often it looks, in milliseconds, and how many rows it takes at a time. */
const interval = 10_000
const rowsAtOnce = 200
/** Of one round: what is left waits for the next, and requests get their turn. */
const batches = 100

/** Starts a reaper. Returns the function that stops it: it gives up its batch, and starts no other. */
export function startReaper(context: Context): () => Promise<void> {
  const stopping = new AbortController()
  const { signal } = stopping
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round
      .then(async () => await reap(context, signal))
      .catch((error: unknown) => {
        if (signal.aborted) return
        logError(context.log, error, { event: 'A reaper round failed', level: 'warn' })
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
 * One round: everything that is due now.
 *
 * @param signal Ends it between two statements; the batch that has not ended is rolled back.
 */
export async function reap(
  { db, now }: Pick<Context, 'db' | 'now'>,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const all = async (some: () => Promise<number>): Promise<void> => {
    for (let more = batches; more > 0 && !signal.aborted; more--) {
      if ((await some()) < rowsAtOnce) return
    }
  }
  await all(async () => await settleSome(db, now(), signal))
  await all(async () => await releaseSome(db, now()))
  await all(async () => await forgetSome(db, now()))
}

interface DueRow extends IntentRow {
  readonly clockOffset: number
}

async function settleSome(db: Context['db'], now: Date, signal: AbortSignal): Promise<number> {
  return await db.transaction(async (tx) => {
    // Each half has its index; a sandbox's clock may be ahead of ours, so its own time decides last.
    const rows = await tx.query<DueRow>`
      select ${intentColumns},
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
    for (const { clockOffset, ...row } of rows) {
      signal.throwIfAborted()
      await settleDue(tx, intentOf(row), timeOf({ clockOffset }, now))
    }
    return rows.length
  })
}

async function releaseSome(db: Context['db'], now: Date): Promise<number> {
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

/** A token tells where the bank's page may say that it is over: as long as the checkout may be seen. */
async function forgetSome(db: Context['db'], now: Date): Promise<number> {
  const forgotten = await db.query`
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
  return forgotten.length
}
