/**
 * Measures the service against the same service without a store, against PostgreSQL's own `pgbench`,
 * and against a bare handler. Every figure is a ratio of one run: medians of interleaved rounds.
 *
 * `npm run bench [-- --json FILE --rounds 5 --seconds 2 --stored 10000,1000000]`
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type LoadTarget, load, type Run } from '../../../.ci/bench/load.ts'
import type { Database } from '../src/db/database.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { randomBase62, randomSalt } from '../src/identifiers.ts'
import { creations } from '../src/intents/creation.ts'
import { newSecretKeys } from '../src/secret-keys.ts'
import { startTemporaryPostgres } from '../src/torture/temporary-postgres.ts'
import { pgbench } from './pgbench.ts'

const { values } = parseArgs({
  options: {
    json: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    stored: { type: 'string', default: '10000' },
  },
})
// The load warms up for a tenth of its time, which costs the server too.
const warmUp = 1.1
const fillStep = 20_000
const rounds = Number(values.rounds)
const seconds = Number(values.seconds)

/** A run, and what it cost the server's own process: steadier than time on a busy machine. */
interface Measured extends Run {
  /** Microseconds of processor time per request. */
  readonly cpu: number
}

interface Contestant {
  readonly name: string
  readonly port: number
  readonly apiKey: string
  readonly process: ChildProcess
  /** Ids to retrieve: those that it has made. */
  readonly ids: string[]
}

interface Row {
  readonly stored: number
  readonly concurrency: number
  readonly what: string
  /** Median of the rounds' ratios. */
  readonly ratio: number
  readonly target: string
  readonly met: boolean
}

const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
const server = await startTemporaryPostgres({ shared_buffers: '256MB', max_wal_size: '4GB' })
const environment = {
  PI_SECRET_KEYS: newSecretKeys(),
  PI_DATABASE_URL: server.url,
}
const rows: Row[] = []
const runs: object[] = []
const contestants = [
  await start('postgres', environment),
  await start('embedded', { PI_DATA_DIR: join(folder, 'data') }),
  await start('map', {}),
  await start('bare', {}),
]
const db = await openPostgres(server.url)

for (const stored of values.stored.split(',').map(Number)) {
  await fill(db, stored)
  for (const concurrency of [64, 1]) await measure({ stored, concurrency })
}
const [size] = await db.query<{ bytes: number }>`
  select pg_total_relation_size('payment_intents') / greatest(1, count(*)) as bytes
    from payment_intents`

console.table(rows)
console.log('Medians: requests per second; microseconds of p99 and of processor time per request.')
console.table(runs)
console.log(`Bytes per intent with its indexes: ${size?.bytes}`)
if (values.json) {
  const report = { node: process.version, rounds, seconds, bytesPerIntent: size?.bytes, rows, runs }
  writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}
await db.close()
for (const contestant of contestants) contestant.process.kill()
await server.stop()
await rm(folder, { recursive: true, force: true })

async function start(name: string, env: NodeJS.ProcessEnv): Promise<Contestant> {
  const path = fileURLToPath(new URL('contestant.ts', import.meta.url))
  const child = fork(path, [name], {
    env: { ...process.env, PI_DATABASE_URL: '', ...env },
    execArgv: ['--import', 'tsx', '--conditions=source'],
  })
  const [ready] = (await once(child, 'message')) as [{ port: number; apiKey: string }]
  return { name, ...ready, process: child, ids: [] }
}

interface Setting {
  readonly stored: number
  readonly concurrency: number
}

async function measure({ stored, concurrency }: Setting): Promise<void> {
  const creates = new Map<string, Measured[]>()
  const reads = new Map<string, Measured[]>()
  const inserts: number[] = []
  const alone: number[] = []
  for (let round = 0; round < rounds; round++) {
    // Another order in each round: what one leaves behind in a cache does not favour the same next one.
    const order = [...contestants.slice(round % 4), ...contestants.slice(0, round % 4)]
    for (const contestant of order) {
      note(creates, contestant.name, await createMany(contestant, concurrency))
      note(reads, contestant.name, await retrieveMany(contestant, concurrency))
    }
    inserts.push(await pgbench(server.binaries, server.url, { concurrency, seconds }))
    alone.push(await createAlone(db, concurrency))
  }
  const of = (runsOf: Map<string, Measured[]>, name: string): number[] =>
    (runsOf.get(name) ?? []).map(({ perSecond }) => perSecond)
  const ratio = (what: string, ours: number[], baseline: number[], least?: number): void => {
    const value = median(ours.map((one, at) => one / (baseline[at] ?? Number.NaN)))
    const target = least === undefined ? '' : `≥ ${least}`
    rows.push({
      ...{ stored, concurrency, what, target },
      ratio: round2(value),
      met: least === undefined || value >= least,
    })
  }
  const strict = concurrency > 1
  const target = (least: number): number | undefined => (strict ? least : undefined)
  ratio('postgres create / pgbench', of(creates, 'postgres'), inserts, target(1))
  ratio('postgres create / map', of(creates, 'postgres'), of(creates, 'map'), target(0.95))
  ratio('postgres retrieve / map', of(reads, 'postgres'), of(reads, 'map'), target(0.9))
  ratio('store alone / pgbench', alone, inserts, target(1.8))
  ratio('embedded create / pgbench', of(creates, 'embedded'), inserts, target(0.8))
  ratio('embedded retrieve / map', of(reads, 'embedded'), of(reads, 'map'), target(0.85))
  ratio('map create / bare', of(creates, 'map'), of(creates, 'bare'), target(0.9))
  ratio('map retrieve / bare', of(reads, 'map'), of(reads, 'bare'))
  const spread = (creates.get('postgres') ?? []).map(({ p50, p99 }) => p99 / p50)
  const value = median(spread)
  rows.push({
    ...{ stored, concurrency, what: 'postgres create p99 / p50', target: strict ? '≤ 3' : '' },
    ratio: round2(value),
    met: !strict || value <= 3,
  })
  for (const [operation, measured] of [
    ['create', creates],
    ['retrieve', reads],
  ] as const) {
    for (const [name, all] of measured) {
      const perSecond = Math.round(median(all.map((run) => run.perSecond)))
      const p99 = Math.round(median(all.map((run) => run.p99)))
      const cpu = Math.round(median(all.map((run) => run.cpu)))
      runs.push({ stored, concurrency, operation, name, perSecond, p99, cpu })
    }
  }
  runs.push({
    stored,
    concurrency,
    operation: 'create',
    name: 'pgbench',
    perSecond: median(inserts),
  })
}

function note(all: Map<string, Measured[]>, name: string, run: Measured): void {
  all.set(name, [...(all.get(name) ?? []), run])
}

async function createMany(contestant: Contestant, concurrency: number): Promise<Measured> {
  const { apiKey, ids } = contestant
  const body = JSON.stringify({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
  const run = randomBase62(12)
  let count = 0
  return await measured(contestant, {
    ...{ concurrency, seconds },
    next: () =>
      `POST /payment-intents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\nIdempotency-Key: ${run}-${count++}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    seen: (answer) => {
      if (ids.length < 10_000) ids.push(answer.slice(7, 34))
    },
  })
}

async function retrieveMany(contestant: Contestant, concurrency: number): Promise<Measured> {
  const { apiKey, ids } = contestant
  let count = 0
  return await measured(contestant, {
    ...{ concurrency, seconds },
    next: () =>
      `GET /payment-intents/${ids[count++ % ids.length]} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`,
  })
}

async function measured(
  { port, process }: Contestant,
  target: Omit<LoadTarget, 'port'>,
): Promise<Measured> {
  const before = await cpuOf(process)
  const run = await load({ ...target, port })
  const after = await cpuOf(process)
  return { ...run, cpu: (after - before) / run.requests / warmUp }
}

async function cpuOf(server: ChildProcess): Promise<number> {
  server.send('cpu')
  const [{ user, system }] = (await once(server, 'message')) as [NodeJS.CpuUsage]
  return user + system
}

/** The store without HTTP: so many creates waiting, in this process. */
async function createAlone(database: Database, concurrency: number): Promise<number> {
  const create = creations(database)
  const [row] = await database.query<{ id: string }>`select id from environments limit 1`
  const environmentId = String(row?.id)
  const end = performance.now() + seconds * 1000
  const begin = performance.now()
  let made = 0
  const one = async (): Promise<void> => {
    while (performance.now() < end) {
      await create({
        ...{ id: `pi_${randomBase62(24)}`, environmentId, secretKid: 'k1' },
        secretSalt: randomSalt(16),
        body: { amount: 150000, currency: 'AMD', orderId: 'A-1001' },
        createdAt: new Date(),
        idempotency: { hash: randomSalt(32), fingerprint: randomSalt(32) },
      })
      made++
    }
  }
  await Promise.all(Array.from({ length: concurrency }, one))
  return made / ((performance.now() - begin) / 1000)
}

/** Fills the shared store, in steps below its statement timeout; the embedded one keeps what it made. */
async function fill(database: Database, count: number): Promise<void> {
  const [present] = await database.query<{ count: number }>`select count(*) from payment_intents`
  for (let left = count - (present?.count ?? 0); left > 0; left -= fillStep) {
    await database.query`
      insert into payment_intents (
        id, environment_id, amount, currency, order_id, secret_salt, secret_kid,
        idempotency_hash, idempotency_fingerprint, idempotency_expires_at,
        expires_at, created_at, updated_at)
      select 'pi_' || substr(md5(n::text || random()), 1, 24),
             (select id from environments limit 1), 150000, 'AMD', 'A-' || n,
             decode(md5(random()::text), 'hex'), 'k1', sha256((n::text || random())::bytea),
             sha256(n::text::bytea), now() + interval '2 days', now() + interval '1 day',
             now(), now()
        from generate_series(1, ${Math.min(left, fillStep)}::int) n`
  }
  await database.query`analyze payment_intents`
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((one, other) => one - other)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function round2(value: number): number {
  return Math.round(value * 100) / 100
}
