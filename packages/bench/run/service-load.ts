/**
 * The service next to the same service without a store, PostgreSQL's own `pgbench`, and a bare handler.
 *
 * @module
 */
import { join } from 'node:path'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { newKeys } from '@pi-checkout/test-support/stack'
import { openPostgres } from '../../service/src/db/postgres.ts'
import { load } from '../load.ts'
import {
  concurrencyLabel,
  type LoadConcurrency,
  loadConcurrencies,
  loadRow,
  serviceRows,
} from '../rows.ts'
import { type Measured, median, pairs, type Row, rotated, rowOf } from '../statistics.ts'
import { Server, type ServerKind, type ServerLoad, type Width } from './service-server.ts'
import { createInStore, insertOneByOne, runPgbench } from './store.ts'

export interface LoadSize {
  readonly rounds: number
  readonly seconds: number
  /** Intents in a small and in a large store. */
  readonly stored: readonly [few: number, many: number]
}

type Loads = Map<ServerKind, ServerLoad[]>

/** @param folder - For the embedded stores. */
export async function measureServiceLoad(folder: string, size: LoadSize): Promise<Measured> {
  const database = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
  const db = await openPostgres(database.url)
  const secrets = { PI_SECRET_KEYS: newKeys() }
  const inPostgres = (url: string) => Server.start('postgres', { ...secrets, PI_DATABASE_URL: url })
  const embeddedIn = (name: string) => Server.start('embedded', { PI_DATA_DIR: join(folder, name) })
  const { rounds, seconds, stored } = size
  const [few, many] = stored
  const rows: Row[] = []
  const figures: object[] = []
  const servers = [
    await inPostgres(database.url),
    await embeddedIn('data'),
    await Server.start('memory'),
    await Server.start('bare'),
  ] as const
  const [postgres, embedded] = servers

  for (const concurrency of loadConcurrencies) await measureLoad(concurrency)
  await measureGrowth()
  await measureInstances()
  for (const server of servers) server.stop()
  await db.close()
  await database.stop()
  return { rows, figures }

  async function measureLoad(concurrency: LoadConcurrency): Promise<void> {
    const width = { concurrency, seconds }
    const creates: Loads = new Map()
    const retrieves: Loads = new Map()
    const inserts: number[] = []
    const inStore: number[] = []
    const oneByOne: number[] = []
    await postgres.refill(few)
    await embedded.refill(few)
    for (const server of servers) await warm(server, width)
    // One request at a time varies little.
    for (let round = 0; round < (concurrency === 1 ? Math.ceil(rounds / 2) : rounds); round++) {
      for (const server of rotated(servers, round)) {
        keep(creates, server.kind, await server.createMany(width))
        keep(retrieves, server.kind, await server.retrieveMany(width))
      }
      inserts.push(await runPgbench(database, width))
      inStore.push(await createInStore(db, width))
      if (concurrency === 1) oneByOne.push(await insertOneByOne(database.url, seconds))
    }
    const rates = (loads: Loads, kind: ServerKind): number[] =>
      (loads.get(kind) ?? []).map(({ perSecond }) => perSecond)
    const compared: Record<Parameters<typeof loadRow>[0], readonly [number[], number[]]> = {
      create: [rates(creates, 'postgres'), inserts],
      createOverMemory: [rates(creates, 'postgres'), rates(creates, 'memory')],
      retrieve: [rates(retrieves, 'postgres'), rates(retrieves, 'memory')],
      store: [inStore, inserts],
      embeddedCreate: [rates(creates, 'embedded'), inserts],
      embeddedRetrieve: [rates(retrieves, 'embedded'), rates(retrieves, 'memory')],
      http: [rates(creates, 'memory'), rates(creates, 'bare')],
      httpRetrieve: [rates(retrieves, 'memory'), rates(retrieves, 'bare')],
      tail: [
        (creates.get('postgres') ?? []).map(({ p99 }) => p99),
        (creates.get('postgres') ?? []).map(({ p50 }) => p50),
      ],
    }
    for (const [name, [ours, baseline]] of Object.entries(compared)) {
      const definition = loadRow(name as keyof typeof compared, concurrency)
      rows.push(rowOf(definition, pairs(ours, baseline)))
    }
    const label = concurrencyLabel(concurrency)
    const rateFigure = (what: string, all: readonly number[]) =>
      figures.push({ what: `${what}, ${label}`, perSecond: Math.round(median(all)) })
    if (concurrency === 1) {
      const ours = rates(creates, 'postgres').map((rate) => 1 / rate)
      const least = rates(creates, 'memory').map(
        (rate, round) => 1 / rate + 1 / (oneByOne[round] ?? Number.NaN),
      )
      rows.push(rowOf(serviceRows.oneCreate, pairs(ours, least)))
      rateFigure('bare prepared inserts', oneByOne)
    }
    for (const [what, loads] of Object.entries({ creates, retrieves })) {
      for (const [kind, all] of loads) figures.push(loadFigures(`${what}, ${kind}, ${label}`, all))
    }
    rateFigure('inserts, pgbench', inserts)
    rateFigure('creates, store without HTTP', inStore)
  }

  /** Two stores of each kind, one with few and one with many intents, in turn. */
  async function measureGrowth(): Promise<void> {
    await db.query`create database large`
    const url = new URL(database.url)
    url.pathname = '/large'
    const width = { concurrency: 64, seconds }
    for (const [small, large, count, create, retrieve] of [
      [postgres, await inPostgres(url.href), many, serviceRows.growth, serviceRows.growthRetrieve],
      [
        embedded,
        await embeddedIn('large'),
        many / 10,
        serviceRows.embeddedGrowth,
        serviceRows.embeddedGrowthRetrieve,
      ],
    ] as const) {
      const bytes = await large.refill(count)
      figures.push({ what: `an intent with its indexes, ${large.kind}, of ${count}`, bytes })
      await warm(large, width)
      const times = { large: [] as Times[], small: [] as Times[] }
      for (let round = 0; round < rounds; round++) {
        await small.refill(few)
        times.large.push(await timesOf(large, width))
        times.small.push(await timesOf(small, width))
      }
      const compare = (operation: keyof Times) =>
        pairs(
          times.large.map((it) => it[operation]),
          times.small.map((it) => it[operation]),
        )
      rows.push(rowOf(create, compare('create')), rowOf(retrieve, compare('retrieve')))
      large.stop()
    }
  }

  /** One, two, and three instances on one PostgreSQL. */
  async function measureInstances(): Promise<void> {
    const all = [postgres, await inPostgres(database.url), await inPostgres(database.url)]
    const results: Awaited<ReturnType<typeof createTogether>>[][] = []
    for (let round = 0; round < Math.min(rounds, 3); round++) {
      const ofRound: Awaited<ReturnType<typeof createTogether>>[] = []
      for (const count of [1, 2, 3]) {
        ofRound.push(await createTogether(all.slice(0, count), { concurrency: 64, seconds }))
      }
      results.push(ofRound)
    }
    const rates = (count: number) => results.map((it) => it[count - 1]?.perSecond ?? Number.NaN)
    rows.push(
      rowOf(serviceRows.twoInstances, pairs(rates(2), rates(1))),
      rowOf(serviceRows.threeInstances, pairs(rates(3), rates(1))),
      rowOf(
        serviceRows.sharedKeys,
        results.flat().map(({ sharedIntents, sharedKeys }) => ({
          ours: sharedIntents,
          baseline: sharedKeys,
        })),
      ),
    )
    for (const instance of all.slice(1)) instance.stop()
  }
}

/** Not counted: caches fill, and the compiler optimizes. */
async function warm(server: Server, width: Width): Promise<void> {
  await server.createMany({ ...width, seconds: width.seconds / 2 })
  await server.retrieveMany(width)
}

/** Seconds per request. */
interface Times {
  readonly create: number
  readonly retrieve: number
}

async function timesOf(server: Server, width: Width): Promise<Times> {
  // Reads first: a create would warm what it touches.
  const retrieve = 1 / (await server.retrieveMany(width)).perSecond
  return { retrieve, create: 1 / (await server.createMany(width)).perSecond }
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
    perSecond: results.reduce((sum, { perSecond }) => sum + perSecond, 0),
    sharedKeys: idsByOrder.size,
    sharedIntents: [...idsByOrder.values()].reduce((sum, { size }) => sum + size, 0),
  }
}

function keep(loads: Loads, kind: ServerKind, result: ServerLoad): void {
  loads.set(kind, [...(loads.get(kind) ?? []), result])
}

function loadFigures(what: string, all: readonly ServerLoad[]): object {
  const of = (figure: (result: ServerLoad) => number) => Math.round(median(all.map(figure)))
  return {
    what,
    perSecond: of(({ perSecond }) => perSecond),
    'p50 µs': of(({ p50 }) => p50),
    'p99 µs': of(({ p99 }) => p99),
    'cpu µs': of(({ cpu }) => cpu),
  }
}
