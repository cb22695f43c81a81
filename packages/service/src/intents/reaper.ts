/** Applies passed deadlines, releases expired keys, and deletes old intents. Each instance has a reaper. @module */
import type { Logger } from 'pino'
import { type Database, Fragment } from '../db/database.ts'
import { logError } from '../log.ts'
import { environmentNow } from '../merchants/environments.ts'
import { columns } from './columns.ts'
import type { Intent } from './intent.ts'
import { afterDeadlines } from './lifecycle.ts'
import { lifetimes } from './lifetimes.ts'
import { type StoreAndClock, writeAll } from './store.ts'

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
  const environments = await findBusy(db, now(), retentionDays)
  for (const [what, batch] of [
    ['isDue', applyDeadlines],
    ['hasExpiredKeys', releaseKeys],
    ['hasOldIntents', deleteIntents],
  ] as const) {
    const busy = environments.filter((environment) => environment[what])
    await takeTurns(busy, signal, async (environment) => {
      const at = environmentNow(environment, now())
      return await batch(db, environment.id, { at, days: retentionDays })
    })
  }
}

interface BusyEnvironment {
  readonly id: string
  readonly clockOffset: number
  readonly isDue: true | null
  readonly hasExpiredKeys: true | null
  readonly hasOldIntents: true | null
}

/**
 * Finds environments with work: those of live payments first. The order of the others changes, so that each gets its
 * turn if a round ends before all had one.
 */
async function findBusy(
  db: Database,
  now: Date,
  days: number | undefined,
): Promise<readonly BusyEnvironment[]> {
  const { createdBefore, finalBefore } = oldBefore(now, days)
  return await db.query`
    select * from (
      select id, mode, clock_offset as "clockOffset",
             (select true from intents
               where environment_id = e.id
                 and due_at <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
               order by due_at limit 1) as "isDue",
             (select true from intents
               where environment_id = e.id and key_hash is not null
                 and key_expires_at <= ${now}::timestamptz + interval '1 ms' * e.clock_offset
               order by key_expires_at limit 1) as "hasExpiredKeys",
             (select true from intents
               where environment_id = e.id
                 and created_at <= ${createdBefore}::timestamptz + interval '1 ms' * e.clock_offset
                 and finalized_at <= ${finalBefore}::timestamptz + interval '1 ms' * e.clock_offset
               order by created_at limit 1) as "hasOldIntents"
        from environments e) found
     where coalesce("isDue", "hasExpiredKeys", "hasOldIntents")
     order by mode, random()`
}

/** Runs a batch of each environment in turn, while `batch` returns that it may have more. */
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

interface Batch {
  readonly at: Date
  readonly days: number | undefined
}

async function applyDeadlines(
  db: Database,
  environmentId: string,
  { at }: Batch,
): Promise<boolean> {
  const limit = batchSizes.deadlines
  const due = await db.query<Intent>`
    select ${columns} from intents
     where environment_id = ${environmentId} and due_at <= ${at}
     order by due_at limit ${limit}`
  const changes = due.map((from) => ({ from, to: afterDeadlines(from, at), needsSecret: false }))
  const written = await writeAll(db, changes, skipLocked)
  // Others have changed the rest, or are changing them.
  return due.length === limit && written.size > 0
}

const skipLocked = new Fragment('skip locked')

async function releaseKeys(db: Database, environmentId: string, { at }: Batch): Promise<boolean> {
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

async function deleteIntents(
  db: Database,
  environmentId: string,
  { at, days }: Batch,
): Promise<boolean> {
  const { createdBefore, finalBefore } = oldBefore(at, days)
  // An index leads to the oldest intents of an environment. They are final a day after their creation, so nearly all that
  // are read are deleted. One that still has its key is replayed.
  const deleted = await db.query`
    delete from intents
     where id = any(array(
       select id from intents
        where environment_id = ${environmentId} and key_hash is null
          and created_at <= ${createdBefore} and finalized_at <= ${finalBefore}
        order by created_at limit ${batchSizes.intents}
          for update skip locked))
    returning id`
  return deleted.length === batchSizes.intents
}

const day = 24 * 60 * 60 * 1000

/** Returns the times before which an old intent was created and became final. */
function oldBefore(at: Date, days: number | undefined) {
  if (days === undefined) return { createdBefore: null, finalBefore: null }
  const finalBefore = new Date(at.getTime() - days * day)
  return { finalBefore, createdBefore: new Date(finalBefore.getTime() - lifetimes.intent) }
}
