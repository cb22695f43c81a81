/**
 * Shows that crashes neither duplicate nor lose an acknowledged intent. Real processes and stores meet `kill -9`,
 * closed connections, lost responses, and expired idempotency keys. Then the intents are counted.
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startTemporaryPostgres } from '../src/postgres.ts'
import { storedIntents } from '../src/sandbox.ts'
import { newSecretKey, startService } from '../src/stack.ts'
import { type Instance, Instances } from './instances.ts'
import { expiredPrefix, findMissing, newLedger, sendExpired, sendLoad } from './load.ts'

/** What was done to one store, and the result. `duplicates` and `missing` must be 0. */
export interface CrashReport {
  /** Processes ended with `kill -9`. */
  readonly kills: number
  readonly acknowledged: number
  /** Idempotency keys that were acknowledged. */
  readonly keys: number
  /** Keys that were sent again after they had expired: each creates one more intent. */
  readonly expired: number
  /** Intents in the store at the end. */
  readonly intents: number
  /** Keys with more than one intent, or with two different responses. */
  readonly duplicates: number
  /** Acknowledged intents that are not in the store, or whose replay has other bytes. */
  readonly missing: number
}

export interface CrashTestOptions {
  readonly instances: number
  readonly seconds: number
}

export async function crashTestPostgres(options: CrashTestOptions): Promise<CrashReport> {
  const server = await startTemporaryPostgres()
  const db = new pg.Pool({ connectionString: server.url, max: 2 })
  // An idle connection that is closed reports an error here, and is replaced.
  db.on('error', () => {})
  const env = { PI_DATABASE_URL: server.url, PI_SECRET_KEY: newSecretKey() }
  try {
    return await crashTest(options, {
      start: () => startInstance([], env),
      cut: async () => {
        await db.query(`
          select pg_terminate_backend(pid) from pg_stat_activity
           where pid <> pg_backend_pid() and backend_type = 'client backend'`)
      },
      expire: (order) => expireKey(db, order),
      orders: async () => {
        const { rows } = await db.query('select order_id as "orderId" from intents')
        return rows.map(({ orderId }) => orderId)
      },
    })
  } finally {
    await db.end()
    await server.stop()
  }
}

export async function crashTestEmbedded({
  seconds,
}: Pick<CrashTestOptions, 'seconds'>): Promise<CrashReport> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-crash-test-'))
  const store = ['--data', folder]
  try {
    return await crashTest(
      { seconds, instances: 1 },
      {
        start: () => startInstance(store, {}),
        orders: () => exportOrders(store),
      },
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function startInstance(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Instance> {
  const { ready, stop } = await startService(args, env)
  return { url: ready.baseUrl, apiKey: ready.apiKey, stop }
}

/** Starts the service once more on its store, and returns the order of each intent. */
async function exportOrders(store: readonly string[]): Promise<readonly string[]> {
  const { ready, stop } = await startService(store)
  const intents = await storedIntents({ api: ready })
  await stop()
  return intents.map(({ orderId }) => orderId)
}

/** Expires a key, which otherwise takes two days. Repeats the statement if its connection is closed. */
async function expireKey(db: pg.Pool, order: string): Promise<void> {
  const statement = `
    update intents set key_expires_at = created_at
     where order_id = $1 and key_hash is not null`
  for (let attempt = 0; ; attempt++) {
    try {
      await db.query(statement, [order])
      return
    } catch (error) {
      if (attempt === 20) throw error
      await sleep(20)
    }
  }
}

interface TestedStore {
  readonly start: () => Promise<Instance>
  readonly cut?: () => Promise<void>
  readonly expire?: (order: string) => Promise<void>
  /** Returns the order of each stored intent. Called when no instance runs. */
  readonly orders: () => Promise<readonly string[]>
}

async function crashTest(options: CrashTestOptions, tested: TestedStore): Promise<CrashReport> {
  const { seconds } = options
  let startedAt = Date.now()
  const progress = (): number => (Date.now() - startedAt) / (seconds * 1000)
  const instances = new Instances(options.instances, () => tested.start())
  const failure = new AbortController()
  try {
    await instances.startAll()
    const { apiKey } = instances
    const target = () => {
      const instance = instances.next()
      return instance && { url: instance.url, apiKey }
    }
    const ledger = newLedger()
    startedAt = Date.now()
    const load = { stopped: () => progress() >= 1, signal: failure.signal }
    const sent = Promise.all([
      sendLoad(ledger, target, { ...load, merchants: 24 }),
      tested.expire ? sendExpired(ledger, target, { ...load, expire: tested.expire }) : 0,
    ])
    // The first wrong response ends everything, and is thrown below.
    sent.catch(() => failure.abort())

    let kills = 0
    for (let round = 0; progress() < 1 && !failure.signal.aborted; round++) {
      await sleep(300 + Math.random() * 300)
      if (tested.cut && round % 3 === 2) {
        await tested.cut()
        continue
      }
      const index = kills++ % options.instances
      await instances.kill(index)
      await instances.start(index)
    }
    const [, expired] = await sent
    const missing = await findMissing(ledger, target)
    await instances.stopAll('SIGTERM')
    const orders = await tested.orders()
    return {
      kills,
      acknowledged: ledger.acknowledged,
      keys: ledger.responses.size,
      expired,
      intents: orders.length,
      duplicates: countDuplicates(orders) + ledger.contradicted.size,
      missing: missing.length,
    }
  } finally {
    failure.abort()
    await instances.stopAll('SIGKILL')
  }
}

/** One order has one key, so a second intent for it is a duplicate; an expired key creates a second one. */
function countDuplicates(orders: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const order of orders) counts.set(order, (counts.get(order) ?? 0) + 1)
  return [...counts].filter(([order, count]) => count > (order.startsWith(expiredPrefix) ? 2 : 1))
    .length
}
