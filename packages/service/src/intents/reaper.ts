/**
 * Applies passed deadlines of intents that no request reads. Releases expired idempotency keys, and deletes final
 * intents after `PI_RETENTION_DAYS`.
 *
 * Each instance runs a reaper. They skip rows that another one has locked.
 *
 * @module
 */
import type { Logger } from 'pino'
import { type Database, Fragment } from '../db/database.ts'
import { logError } from '../log.ts'
import { environmentNow } from '../merchants/environments.ts'
import { afterDeadlines } from './lifecycle.ts'
import { lifetimes } from './lifetimes.ts'
import { findDue, type StoreAndClock, writeAll } from './store.ts'

/** Time between rounds in milliseconds. */
const interval = 10_000
/** Number of rows in a batch. Each takes less than 50 milliseconds. */
const batchSizes = { deadlines: 50, keys: 200, intents: 100 } as const
/** Maximum batches of each kind in a round, so that a round does not block requests. */
const maxBatches = 100

/** Starts a reaper. Returns the function that stops it, which waits for a running batch. */
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

/** The store, and days after which final intents are deleted. By default all are kept. */
interface ReaperOptions extends StoreAndClock {
  readonly retentionDays?: number | undefined
}

/** Runs one round. The signal ends it after the running batch. */
export async function reap(
  { db, now, retentionDays }: ReaperOptions,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  await takeTurns(await withDeadlines(db, now()), signal, async (environment) => {
    return await applyDeadlines(db, environment.id, environmentNow(environment, now()))
  })
  await takeTurns(await withExpiredKeys(db, now()), signal, async (environment) => {
    return await releaseKeys(db, environment.id, environmentNow(environment, now()))
  })
  if (retentionDays === undefined) return
  await takeTurns(await withOldIntents(db, now(), retentionDays), signal, async (environment) => {
    const at = environmentNow(environment, now())
    return await deleteIntents(db, environment.id, { at, days: retentionDays })
  })
}

interface BusyEnvironment {
  readonly id: string
  readonly clockOffset: number
}

/**
 * Runs one batch of each environment after the other, until none has more. So a busy environment does not delay
 * the others.
 *
 * @param batch - Returns whether there may be more.
 */
async function takeTurns(
  environments: readonly BusyEnvironment[],
  signal: AbortSignal,
  batch: (environment: BusyEnvironment) => Promise<boolean>,
): Promise<void> {
  let waiting = environments
  for (let left = maxBatches; waiting.length > 0; ) {
    const unfinished: BusyEnvironment[] = []
    for (const environment of waiting) {
      if (left-- === 0 || signal.aborted) return
      if (await batch(environment)) unfinished.push(environment)
    }
    waiting = unfinished
  }
}

const environmentColumns = new Fragment(`id, clock_offset as "clockOffset"`)

/**
 * The end of a statement that finds environments with work: those of live payments first. The order of the others
 * changes, so that each gets its turn if a round ends before all had one.
 */
const inTurns = new Fragment(`order by e.mode, random()`)

async function withDeadlines(db: Database, now: Date): Promise<readonly BusyEnvironment[]> {
  return await db.query`
    select ${environmentColumns} from environments e
     where (select true from intents
             where environment_id = e.id
               and due_at <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
             order by due_at limit 1)
     ${inTurns}`
}

async function applyDeadlines(db: Database, environmentId: string, at: Date): Promise<boolean> {
  const limit = batchSizes.deadlines
  const due = await findDue(db, { environmentId, at, limit })
  const changes = due.map((from) => ({ from, to: afterDeadlines(from, at), needsSecret: false }))
  const written = await writeAll(db, changes, skipLocked)
  // Others have changed the rest, or are changing them.
  return due.length === limit && written.size > 0
}

const skipLocked = new Fragment('skip locked')

async function withExpiredKeys(db: Database, now: Date): Promise<readonly BusyEnvironment[]> {
  return await db.query`
    select ${environmentColumns} from environments e
     where (select true from intents
             where environment_id = e.id and key_hash is not null
               and key_expires_at <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
             order by key_expires_at limit 1)
     ${inTurns}`
}

async function releaseKeys(db: Database, environmentId: string, at: Date): Promise<boolean> {
  const released = await db.query`
    update intents set key_hash = null, key_fingerprint = null, key_expires_at = null
     where id = any(array(
       select id from intents
        where environment_id = ${environmentId} and key_hash is not null and key_expires_at <= ${at}
        order by key_expires_at limit ${batchSizes.keys}
          for update skip locked))
    returning id`
  return released.length === batchSizes.keys
}

async function withOldIntents(
  db: Database,
  now: Date,
  days: number,
): Promise<readonly BusyEnvironment[]> {
  return await db.query`
    select ${environmentColumns} from environments e
     where (select true from intents
             where environment_id = e.id and key_hash is null
               and created_at <= ${before(now, oldFor(days))}::timestamptz
                                 + interval '1 ms' * e.clock_offset
               and finalized_at <= ${before(now, days * day)}::timestamptz
                                   + interval '1 ms' * e.clock_offset
             order by created_at limit 1)
     ${inTurns}`
}

/** Deletes intents that have been final for some days. */
async function deleteIntents(
  db: Database,
  environmentId: string,
  { at, days }: { readonly at: Date; readonly days: number },
): Promise<boolean> {
  // An index leads to the oldest intents of an environment. They are final a day after their creation, so nearly all that
  // are read are deleted. One that still has its key is replayed.
  const deleted = await db.query`
    delete from intents
     where id = any(array(
       select id from intents
        where environment_id = ${environmentId} and key_hash is null
          and created_at <= ${before(at, oldFor(days))}
          and finalized_at <= ${before(at, days * day)}
        order by created_at limit ${batchSizes.intents}
          for update skip locked))
    returning id`
  return deleted.length === batchSizes.intents
}

const day = 24 * 60 * 60 * 1000

/** Milliseconds since the creation of an intent after which it may be deleted. */
function oldFor(days: number): number {
  return days * day + lifetimes.intent
}

function before(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() - milliseconds)
}
