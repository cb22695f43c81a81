/**
 * Shows that no kill makes a second intent or loses an acknowledged one: real processes, real stores,
 * `kill -9`, cut connections, lost answers, a key rotation and keys past their time, then a count.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, StoreError } from '../db/database.ts'
import { openPglite } from '../db/pglite.ts'
import { openPostgres } from '../db/postgres.ts'
import { newSecretKeys } from '../secret-keys.ts'
import { type Instance, startInstance } from './instance.ts'
import { Instances } from './instances.ts'
import { expiring, findLost, newLedger, sendExpired, sendLoad } from './load.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

/** What was done to one store, and what became of it. The last two are 0, or something is broken. */
export interface TortureReport {
  readonly store: 'postgres' | 'embedded'
  readonly instances: number
  readonly seconds: number
  /** Processes ended with `kill -9`. */
  readonly kills: number
  /** Times that every database connection was cut. */
  readonly cuts: number
  /** Restarts with the next list of secret keys, one instance at a time beside those that lack it. */
  readonly rotated: number
  readonly acknowledged: number
  /** Different idempotency keys that were acknowledged. */
  readonly keys: number
  /** Of these, those that were sent again past their time: each makes one intent more. */
  readonly expired: number
  /** Intents in the store at the end. */
  readonly intents: number
  /** Keys with more than one intent, or with two different answers. */
  readonly doubled: number
  /** Acknowledged intents that are gone, or whose replay is not the same bytes. */
  readonly lost: number
}

/** How hard and how long. */
export interface TortureOptions {
  readonly instances: number
  readonly seconds: number
}

/** Tortures several instances on one PostgreSQL, which is started for it. */
export async function torturePostgres(options: TortureOptions): Promise<TortureReport> {
  const server = await startTemporaryPostgres()
  const old = newSecretKeys()
  const fresh = newSecretKeys().replace('k1', 'k2')
  // A rotation as an operator does it: known everywhere first, then in front.
  const rotation = rolling(options.instances, [old, `${old},${fresh}`, `${fresh},${old}`])
  const db = await openPostgres(server.url)
  try {
    return await torture(options, {
      store: 'postgres',
      start: async (at, progress) =>
        await startInstance([], {
          PI_DATABASE_URL: server.url,
          PI_SECRET_KEYS: rotation.listFor(at, progress),
        }),
      rotated: rotation.steps,
      cut: async () => {
        await db.query`
          select pg_terminate_backend(pid) from pg_stat_activity
           where pid <> pg_backend_pid() and backend_type = 'client backend'`
      },
      expire: async (order) => await expire(db, order),
      count: async () => await count(db),
    })
  } finally {
    await db.close()
    await server.stop()
  }
}

/** Tortures one service with the embedded store, in a directory of its own. */
export async function tortureEmbedded(
  options: Pick<TortureOptions, 'seconds'>,
): Promise<TortureReport> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-torture-'))
  try {
    return await torture(
      { ...options, instances: 1 },
      {
        store: 'embedded',
        start: async () => await startInstance(['--data', folder], {}),
        count: async () => {
          const db = await openPglite(join(folder, 'database'))
          try {
            return await count(db)
          } finally {
            await db.close()
          }
        },
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Gives each instance that starts its list of secret keys. All take a step, one after the other, before
 * the first takes the next, so that no instance ever meets what it cannot read.
 */
function rolling(
  instances: number,
  lists: readonly string[],
): {
  readonly listFor: (at: number, progress: number) => string | undefined
  readonly steps: () => number
} {
  const stages = Array.from({ length: instances }, () => 0)
  let begun = false
  let steps = 0
  return {
    listFor: (at, progress) => {
      const before = stages[at] ?? 0
      const due = Math.min(lists.length - 1, 1 + Math.floor(progress * lists.length))
      const stage = begun ? Math.max(before, Math.min(due, Math.min(...stages) + 1)) : 0
      begun ||= at === instances - 1
      stages[at] = stage
      if (stage > before) steps++
      return lists[stage]
    },
    steps: () => steps,
  }
}

/** As if the key's days were over: nobody waits for them here. */
async function expire(db: Database, order: string): Promise<void> {
  for (;;) {
    try {
      await db.query`
        update payment_intents set idempotency_expires_at = created_at
         where order_id = ${order} and idempotency_hash is not null`
      return
    } catch (error) {
      // The connection was cut, with all others.
      if (!(error instanceof StoreError) || !error.unavailable) throw error
    }
  }
}

interface Rack {
  readonly store: TortureReport['store']
  /** @param progress 0 to 1, over the whole time. */
  readonly start: (at: number, progress: number) => Promise<Instance>
  readonly rotated?: () => number
  readonly cut?: () => Promise<void>
  /** Lets the time of an order's key run out. */
  readonly expire?: (order: string) => Promise<void>
  /** Counts when no instance runs any more. */
  readonly count: () => Promise<{ readonly intents: number; readonly doubled: number }>
}

async function torture(options: TortureOptions, rack: Rack): Promise<TortureReport> {
  const { seconds } = options
  let begun = Date.now()
  const progress = (): number => (Date.now() - begun) / (seconds * 1000)
  const instances = new Instances(options.instances, async (at) => await rack.start(at, progress()))
  const failure = new AbortController()
  try {
    await instances.startAll()
    const { apiKey } = instances
    const target = (): { url: string; apiKey: string } | undefined => {
      const instance = instances.next()
      return instance && { url: instance.url, apiKey }
    }

    const ledger = newLedger()
    begun = Date.now()
    const load = { stopped: () => progress() >= 1, signal: failure.signal }
    const sent = Promise.all([
      sendLoad(ledger, target, { ...load, merchants: 24 }),
      rack.expire ? sendExpired(ledger, target, { ...load, expire: rack.expire }) : 0,
    ])
    // The first wrong answer ends the whole, and is thrown below.
    sent.catch(() => failure.abort())

    let kills = 0
    let cuts = 0
    for (let round = 0; progress() < 1 && !failure.signal.aborted; round++) {
      await sleep(300 + Math.random() * 300)
      if (rack.cut && round % 3 === 2) {
        await rack.cut()
        cuts++
        continue
      }
      const at = kills++ % options.instances
      await instances.kill(at)
      await instances.start(at)
    }
    const [, expired] = await sent

    const lost = await findLost(ledger, target)
    await instances.endAll('SIGTERM')
    const { intents, doubled } = await rack.count()
    return {
      store: rack.store,
      instances: options.instances,
      seconds,
      kills,
      cuts,
      rotated: rack.rotated?.() ?? 0,
      acknowledged: ledger.acknowledged,
      keys: ledger.answers.size,
      expired,
      intents,
      doubled: doubled + ledger.contradicted.size,
      lost: lost.length,
    }
  } finally {
    failure.abort()
    await instances.endAll('SIGKILL')
  }
}

/** One order has one key, so two intents of it are a doubled payment; a key past its time makes another. */
async function count(db: Database): Promise<{ intents: number; doubled: number }> {
  const [counted] = await db.query<{ intents: number; doubled: number }>`
    select coalesce(sum(intents), 0)::int as intents,
           (count(*) filter (where intents > case when starts_with(order_id, ${expiring})
                                                  then 2 else 1 end))::int as doubled
      from (select order_id, count(*) as intents from payment_intents group by order_id) orders`
  return counted ?? { intents: 0, doubled: 0 }
}
