/** The service next to the same service without a store, PostgreSQL's own `pgbench`, and a bare handler. @module */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { newKeys } from '@pi-checkout/test-support/stack'
import { openPostgres } from '../../service/src/db/postgres.ts'
import { load } from '../load.ts'
import { atOnce } from '../rows.ts'
import type { Samples, Size } from '../samples.ts'
import { Server, type Width } from './service-server.ts'
import { createInStore, insertOneByOne, runPgbench } from './store.ts'

export async function measure(samples: Samples, size: Size): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
  const database = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
  const db = await openPostgres(database.url)
  const secrets = { PI_SECRET_KEYS: newKeys() }
  const inPostgres = (url: string) => Server.start('postgres', { ...secrets, PI_DATABASE_URL: url })
  const embeddedIn = (name: string) => Server.start('embedded', { PI_DATA_DIR: join(folder, name) })
  const [few, many] = [size(10_000, 200), size(1_000_000, 2_000)]
  const [rounds, seconds] = [size(5, 1), size(1, 0.2)]
  const postgres = await inPostgres(database.url)
  const embedded = await embeddedIn('data')
  const servers = [postgres, embedded, await Server.start('memory'), await Server.start('bare')]

  for (const concurrency of [64, 1]) await measureLoad({ concurrency, seconds })
  await measureGrowth({ concurrency: 64, seconds })
  await measureInstances({ concurrency: 64, seconds })
  await measureWaiting({ concurrency: 4, seconds })
  for (const server of servers) server.stop()
  await db.close()
  await database.stop()
  await rm(folder, { recursive: true, force: true })

  async function measureLoad(width: Width): Promise<void> {
    const isSingle = width.concurrency === 1
    const named = (what: string) => `${what}, ${atOnce(width.concurrency)}`
    const inserted = named('bare prepared inserts')
    await postgres.refill(few)
    await embedded.refill(few)
    // One request at a time varies little.
    await samples.inTurns(isSingle ? Math.ceil(rounds / 2) : rounds, [
      ...servers.map((server) => async (record: Samples['record']) => {
        record(named(`creates, ${server.kind}`), await server.createMany(width))
        record(named(`retrieves, ${server.kind}`), await server.retrieveMany(width))
      }),
      async (record) =>
        record(named('inserts, pgbench'), { perSecond: await runPgbench(database, width) }),
      async (record) => {
        const perSecond = await createInStore(db, width)
        record(named('creates, store without HTTP'), { perSecond })
      },
      async (record) => {
        if (!isSingle) return
        record(inserted, { perSecond: await insertOneByOne(database.url, seconds) })
      },
    ])
    if (!isSingle) return
    const inserts = samples.valuesOf([inserted, 'perSecond'])
    const creates = samples.valuesOf([named('creates, memory'), 'perSecond'])
    for (const [round, rate] of creates.entries()) {
      const perSecond = 1 / (1 / rate + 1 / (inserts[round] ?? Number.NaN))
      samples.record('creates, memory and one bare insert', { perSecond })
    }
  }

  /** Two stores of each kind, one with few and one with many intents, in turn. */
  async function measureGrowth(width: Width): Promise<void> {
    await db.query`create database large`
    const url = new URL(database.url)
    url.pathname = '/large'
    for (const [small, large, count] of [
      [postgres, await inPostgres(url.href), many],
      [embedded, await embeddedIn('large'), many / 10],
    ] as const) {
      const bytes = await large.refill(count)
      samples.record(`an intent with its indexes, ${large.kind}, of ${count}`, { bytes })
      const of = (server: Server, store: string) => async (record: Samples['record']) => {
        if (server === small) await small.refill(few)
        // Reads first: a create would warm what it touches.
        record(`retrieves, ${server.kind}, ${store} store`, await server.retrieveMany(width))
        record(`creates, ${server.kind}, ${store} store`, await server.createMany(width))
      }
      await samples.inTurns(rounds, [of(large, 'large'), of(small, 'small')])
      large.stop()
    }
  }

  /** One, two, and three instances on one PostgreSQL. */
  async function measureInstances(width: Width): Promise<void> {
    const all = [postgres, await inPostgres(database.url), await inPostgres(database.url)]
    await samples.inTurns(
      Math.min(rounds, 3),
      ['one', 'two', 'three'].map((count, index) => async (record) => {
        const { perSecond, shared } = await createTogether(all.slice(0, index + 1), width)
        record(`creates, instances: ${count}`, { perSecond })
        record('shared keys', shared)
      }),
    )
    for (const instance of all.slice(1)) instance.stop()
  }

  /** An instance at which buyers wait, and an idle one that is as new, on one PostgreSQL. */
  async function measureWaiting(width: Width): Promise<void> {
    const [waited, idle] = [await inPostgres(database.url), await inPostgres(database.url)]
    await waited.refill(size(10_000, 100))
    const tokens = await waited.openSessions()
    const disconnected = await waited.cpu()
    const disconnect = await waited.connectBuyers(tokens)
    // Until each has connected and got the first space, with which the response begins.
    await sleep(size(45_000, 100))
    const [startedAt, connected] = [performance.now(), await waited.cpu()]
    // Several more spaces to each, and the garbage of the connections.
    await sleep(size(180_000, 100))
    const spaces = ((await waited.cpu()) - connected) / 1000 / (performance.now() - startedAt)
    // A request waits for 540 seconds on average. Then the page sends the next one.
    const cores = (connected - disconnected) / 1e6 / 540 + spaces
    samples.record('waiting buyers', { cores })
    const of = (server: Server, series: string) => async (record: Samples['record']) =>
      record(series, await server.createMany(width))
    // A 95th percentile varies more than a median.
    await samples.inTurns(4 * rounds, [
      of(waited, 'creates where buyers wait'),
      of(idle, 'creates at an idle instance'),
    ])
    disconnect()
    waited.stop()
    idle.stop()
  }
}

/** Sends every eighth key to each instance. A response other than 201 fails the run. */
async function createTogether(instances: readonly Server[], { concurrency, seconds }: Width) {
  const run = performance.now()
  const idsByOrder = new Map<string, Set<string>>()
  const onBody = (body: string): void => {
    const { id, orderId } = JSON.parse(body) as { id: string; orderId: string }
    if (!orderId.startsWith('S')) return
    idsByOrder.set(orderId, (idsByOrder.get(orderId) ?? new Set()).add(id))
  }
  const each = Math.floor(concurrency / instances.length)
  const results = await Promise.all(
    instances.map(async (instance, index) => {
      let count = 0
      const next = (): string => {
        const isShared = ++count % 8 === 0
        const key = isShared ? `${run}-${count}` : `${run}-${index}-${count}`
        return instance.create({ key, orderId: `${isShared ? 'S' : 'A'}-${count}` })
      }
      return await load({ port: instance.port, concurrency: each, seconds, next, onBody })
    }),
  )
  return {
    perSecond: results.reduce((sum, { figures }) => sum + figures.perSecond, 0),
    shared: {
      keys: idsByOrder.size,
      intents: [...idsByOrder.values()].reduce((sum, { size }) => sum + size, 0),
    },
  }
}
