/**
 * Shows that no kill makes a second intent or loses an acknowledged one: real processes, real stores,
 * `kill -9`, cut connections, lost answers and a key rotation, then a count.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { openPglite } from '../db/pglite.ts'
import { openPostgres } from '../db/postgres.ts'
import { newSecretKeys } from '../secret-keys.ts'
import { type Instance, startInstance } from './instance.ts'
import { findLost, newLedger, sendLoad } from './load.ts'
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
  readonly acknowledged: number
  /** Different idempotency keys that were acknowledged. */
  readonly keys: number
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
  const rotation = [old, `${old},${fresh}`, `${fresh},${old}`]
  const db = await openPostgres(server.url)
  try {
    return await torture(options, {
      store: 'postgres',
      start: async (progress) =>
        await startInstance([], {
          PI_DATABASE_URL: server.url,
          PI_SECRET_KEYS: rotation[Math.min(2, Math.floor(progress * 3))],
        }),
      rotations: rotation.length,
      cut: async () => {
        await db.query`
          select pg_terminate_backend(pid) from pg_stat_activity
           where pid <> pg_backend_pid() and backend_type = 'client backend'`
      },
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
        rotations: 1,
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

interface Rack {
  readonly store: TortureReport['store']
  /** @param progress 0 to 1, over the whole time. */
  readonly start: (progress: number) => Promise<Instance>
  /** Stages of the key rotation: at each, all instances start anew, so that none is a stage behind. */
  readonly rotations: number
  readonly cut?: () => Promise<void>
  /** Counts when no instance runs any more. */
  readonly count: () => Promise<{ readonly intents: number; readonly doubled: number }>
}

async function torture(options: TortureOptions, rack: Rack): Promise<TortureReport> {
  const { seconds } = options
  const all = Array.from({ length: options.instances }, (_, at) => at)
  const running: (Instance | undefined)[] = await Promise.all(all.map(() => rack.start(0)))
  const apiKey = String(running.find((instance) => instance?.apiKey)?.apiKey)
  let turn = 0
  const target = (): { url: string; apiKey: string } | undefined => {
    const up = running.filter((instance) => instance !== undefined)
    const instance = up[turn++ % Math.max(1, up.length)]
    return instance && { url: instance.url, apiKey }
  }

  const ledger = newLedger()
  const begun = Date.now()
  const progress = (): number => (Date.now() - begun) / (seconds * 1000)
  const load = sendLoad(ledger, target, { merchants: 24, stopped: () => progress() >= 1 })
  let kills = 0
  let cuts = 0
  const kill = async (at: number): Promise<void> => {
    const victim = running[at]
    running[at] = undefined
    await victim?.end('SIGKILL')
    kills++
  }

  let stage = 0
  for (let round = 0; progress() < 1; round++) {
    const next = Math.min(rack.rotations - 1, Math.floor(progress() * rack.rotations))
    if (next > stage) {
      stage = next
      await Promise.all(all.map(kill))
      running.splice(0, all.length, ...(await Promise.all(all.map(() => rack.start(progress())))))
    }
    await sleep(300 + Math.random() * 300)
    if (rack.cut && round % 3 === 2) {
      await rack.cut()
      cuts++
      continue
    }
    const at = round % running.length
    await kill(at)
    running[at] = await rack.start(progress())
  }
  await load

  const lost = await findLost(ledger, target)
  await Promise.all(running.map(async (instance) => await instance?.end('SIGTERM')))
  const { intents, doubled } = await rack.count()
  return {
    store: rack.store,
    instances: options.instances,
    seconds,
    kills,
    cuts,
    acknowledged: ledger.acknowledged,
    keys: ledger.answers.size,
    intents,
    doubled: doubled + ledger.contradicted.size,
    lost: lost.length,
  }
}

/** One order has one key, so two intents of one order are a doubled payment. */
async function count(db: Database): Promise<{ intents: number; doubled: number }> {
  const [counted] = await db.query<{ intents: number; doubled: number }>`
    select coalesce(sum(intents), 0)::int as intents,
           (count(*) filter (where intents > 1))::int as doubled
      from (select count(*) as intents from payment_intents group by order_id) orders`
  return counted ?? { intents: 0, doubled: 0 }
}
