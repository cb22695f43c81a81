/**
 * Measures the service against the same service without a store, against PostgreSQL's own `pgbench`,
 * and against a bare handler. Every figure is a ratio of one run: medians of interleaved rounds.
 *
 * `npm run bench [-- --json FILE --rounds 5 --seconds 1 --stored 10000,1000000]`, after a build.
 *
 * @module
 */
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import { median, printRows, type Round, type Row, rowOf } from '../../../.ci/bench/row.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { newSecretKeys } from '../src/secret-keys.ts'
import { createAlone, insertBare } from './alone.ts'
import { coldStart } from './cold-start.ts'
import {
  type Contestant,
  createMany,
  type Measured,
  refill,
  retrieveMany,
  start,
} from './contestants.ts'
import { createTogether, type Together } from './instances.ts'
import { pgbench } from './pgbench.ts'
import { type Concurrency, concurrencies, definitions, others } from './table.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    stored: { type: 'string', default: '10000,1000000' },
  },
})
const seconds = Number(values.seconds)
const [few = 10_000, many = 1_000_000] = values.stored.split(',').map(Number)
const rows: Row[] = []
const runs: object[] = []

const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
const server = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
const secrets = { PI_SECRET_KEYS: newSecretKeys() }
const { idle } = await measureStarts()
const contestants = [
  await start('postgres', { ...secrets, PI_DATABASE_URL: server.url }),
  await start('embedded', { PI_DATA_DIR: join(folder, 'data') }),
  await start('map', {}),
  await start('bare', {}),
] as const
const [postgres, embedded] = contestants
const db = await openPostgres(server.url)

for (const concurrency of concurrencies) await measure(concurrency)
await measureGrowth()
await measureInstances()
runs.push({ what: 'an idle service with the embedded store', megabytes: idle.megabytes() })
await idle.stop()

printRows(rows)
console.table(runs)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`)
await db.close()
for (const contestant of contestants) contestant.process.kill()
await server.stop()
await rm(folder, { recursive: true, force: true })

/** Returns the last one, to be asked for its memory when it has been idle for long. */
async function measureStarts() {
  const fresh: Round[] = []
  const known: Round[] = []
  let idle = await coldStart(join(folder, 'idle'))
  for (let round = 0; round < 5; round++) {
    const first = await coldStart(join(folder, `fresh-${round}`))
    fresh.push({ ours: first.seconds, baseline: 1 })
    await first.stop()
    await idle.stop()
    idle = await coldStart(join(folder, 'idle'))
    known.push({ ours: idle.seconds, baseline: 1 })
  }
  rows.push(rowOf(others.existingDirectory, known), rowOf(others.newDirectory, fresh))
  return { idle }
}

async function measure(concurrency: Concurrency): Promise<void> {
  const wide = { concurrency, seconds }
  const creates = new Map<string, Measured[]>()
  const reads = new Map<string, Measured[]>()
  const inserts: number[] = []
  const alone: number[] = []
  const bare: number[] = []
  await refill(postgres, few)
  await refill(embedded, few)
  for (const contestant of contestants) await warm(contestant, concurrency)
  for (let round = 0; round < rounds(concurrency); round++) {
    // Another order in each round: what one leaves behind in a cache does not favour the same next one.
    const order = [...contestants.slice(round % 4), ...contestants.slice(0, round % 4)]
    for (const contestant of order) {
      note(creates, contestant.name, await createMany(contestant, wide))
      note(reads, contestant.name, await retrieveMany(contestant, wide))
    }
    inserts.push(await pgbench(server.binaries, server.url, wide))
    alone.push(await createAlone(db, wide))
    if (concurrency === 1) bare.push(await insertBare(server.url, seconds))
  }
  const all = definitions(concurrency)
  const of = (runsOf: Map<string, Measured[]>, name: string): number[] =>
    (runsOf.get(name) ?? []).map(({ perSecond }) => perSecond)
  const compare = (name: keyof typeof all, ours: number[], baseline: number[]): void => {
    rows.push(rowOf(all[name], pairs(ours, baseline)))
  }
  compare('create', of(creates, 'postgres'), inserts)
  compare('createBesideMap', of(creates, 'postgres'), of(creates, 'map'))
  compare('retrieve', of(reads, 'postgres'), of(reads, 'map'))
  compare('alone', alone, inserts)
  compare('embeddedCreate', of(creates, 'embedded'), inserts)
  compare('embeddedRetrieve', of(reads, 'embedded'), of(reads, 'map'))
  compare('http', of(creates, 'map'), of(creates, 'bare'))
  compare('httpRetrieve', of(reads, 'map'), of(reads, 'bare'))
  const tails = creates.get('postgres') ?? []
  compare(
    'tail',
    tails.map(({ p99 }) => p99),
    tails.map(({ p50 }) => p50),
  )
  if (concurrency === 1) {
    const ours = of(creates, 'postgres').map((perSecond) => 1 / perSecond)
    const least = of(creates, 'map').map(
      (perSecond, at) => 1 / perSecond + 1 / (bare[at] ?? Number.NaN),
    )
    rows.push(rowOf(others.lone, pairs(ours, least)))
    runs.push({ what: 'bare prepared inserts, one at a time', perSecond: Math.round(median(bare)) })
  }
  keep('creates', creates, concurrency)
  keep('retrieves', reads, concurrency)
  runs.push(
    {
      what: `inserts, pgbench, ${concurrency} at once`,
      perSecond: Math.round(median(inserts)),
    },
    {
      what: `creates, store without HTTP, ${concurrency} at once`,
      perSecond: Math.round(median(alone)),
    },
  )
}

/** Two stores of each kind, one with few and one with many intents, in turn. */
async function measureGrowth(): Promise<void> {
  await db.query`create database large`
  const url = new URL(server.url)
  url.pathname = '/large'
  const large = await start('postgres', { ...secrets, PI_DATABASE_URL: url.href })
  const largeEmbedded = await start('embedded', { PI_DATA_DIR: join(folder, 'large') })
  const bytes = await refill(large, many)
  runs.push({ what: `an intent with its indexes, PostgreSQL, of ${many}`, bytes })
  const embeddedBytes = await refill(largeEmbedded, many / 10)
  runs.push({ what: `an intent with its indexes, embedded, of ${many / 10}`, bytes: embeddedBytes })

  await warm(large, 64)
  await warm(largeEmbedded, 64)
  for (const [small, big, create, retrieve] of [
    [postgres, large, others.growth, others.growthRetrieve],
    [embedded, largeEmbedded, others.embeddedGrowth, others.embeddedGrowthRetrieve],
  ] as const) {
    const creates: Round[] = []
    const reads: Round[] = []
    for (let round = 0; round < 5; round++) {
      await refill(small, few)
      const wide = { concurrency: 64, seconds }
      const [of, baseline] = [await timesOf(big, wide), await timesOf(small, wide)]
      creates.push({ ours: of.create, baseline: baseline.create })
      reads.push({ ours: of.retrieve, baseline: baseline.retrieve })
    }
    rows.push(rowOf(create, creates), rowOf(retrieve, reads))
  }
  large.process.kill()
  largeEmbedded.process.kill()
}

/** Not counted: caches fill, and the compiler learns what is called often. */
async function warm(contestant: Contestant, concurrency: number): Promise<void> {
  await createMany(contestant, { concurrency, seconds: seconds / 2 })
  await retrieveMany(contestant, { concurrency, seconds })
}

async function timesOf(contestant: Contestant, wide: Parameters<typeof createMany>[1]) {
  // Reads first: what a create has just touched would be warm.
  const retrieve = 1 / (await retrieveMany(contestant, wide)).perSecond
  return { retrieve, create: 1 / (await createMany(contestant, wide)).perSecond }
}

async function measureInstances(): Promise<void> {
  const env = { ...secrets, PI_DATABASE_URL: server.url }
  const all = [postgres, await start('postgres', env), await start('postgres', env)]
  const wide = { concurrency: 64, seconds }
  const together: Together[][] = []
  for (let round = 0; round < 3; round++) {
    const of: Together[] = []
    for (const count of [1, 2, 3]) of.push(await createTogether(all.slice(0, count), wide))
    together.push(of)
  }
  const rates = (count: number) => together.map((of) => of[count - 1]?.perSecond ?? Number.NaN)
  rows.push(
    rowOf(others.twoInstances, pairs(rates(2), rates(1))),
    rowOf(others.threeInstances, pairs(rates(3), rates(1))),
    rowOf(
      others.sharedKeys,
      together.flat().map((of) => ({ ours: of.sharedIntents, baseline: of.sharedKeys })),
    ),
  )
  for (const instance of all.slice(1)) instance.process.kill()
}

/** One request at a time varies little. */
function rounds(concurrency: Concurrency): number {
  return concurrency === 1 ? Math.ceil(Number(values.rounds) / 2) : Number(values.rounds)
}

function pairs(ours: readonly number[], baseline: readonly number[]): Round[] {
  return ours.map((one, at) => ({ ours: one, baseline: baseline[at] ?? Number.NaN }))
}

function note(all: Map<string, Measured[]>, name: string, run: Measured): void {
  all.set(name, [...(all.get(name) ?? []), run])
}

function keep(operation: string, measured: Map<string, Measured[]>, concurrency: number): void {
  for (const [name, all] of measured) {
    const of = (figure: (run: Measured) => number) => Math.round(median(all.map(figure)))
    runs.push({
      what: `${operation}, ${name}, ${concurrency} at once`,
      perSecond: of(({ perSecond }) => perSecond),
      'p50 µs': of(({ p50 }) => p50),
      'p99 µs': of(({ p99 }) => p99),
      'cpu µs': of(({ cpu }) => cpu),
    })
  }
}
