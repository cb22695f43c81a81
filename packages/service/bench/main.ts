/**
 * Measures the service against the same service without a store, against PostgreSQL's own `pgbench`,
 * and against a bare handler. Every figure is a ratio of one run: medians of interleaved rounds.
 *
 * `npm run bench [-- --json FILE --rounds 5 --seconds 2 --stored 10000]`
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
import { median, printRows, type Row, rowOf } from '../../../.ci/bench/row.ts'
import type { Database } from '../src/db/database.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { randomBase62, randomSalt } from '../src/identifiers.ts'
import { creations } from '../src/intents/creation.ts'
import { newSecretKeys } from '../src/secret-keys.ts'
import { startTemporaryPostgres } from '../src/torture/temporary-postgres.ts'
import { pgbench } from './pgbench.ts'
import { type Concurrency, concurrencies, definitions } from './table.ts'

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

await fill(db, Number(values.stored))
for (const concurrency of concurrencies) await measure(concurrency)
const [size] = await db.query<{ bytes: number }>`
  select pg_total_relation_size('payment_intents') / greatest(1, count(*)) as bytes
    from payment_intents`

runs.push({ what: 'an intent with its indexes, PostgreSQL', bytes: size?.bytes })
printRows(rows)
console.table(runs)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ rows, runs }, null, 2)}\n`)
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

async function measure(concurrency: Concurrency): Promise<void> {
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
  const all = definitions(concurrency)
  const of = (runsOf: Map<string, Measured[]>, name: string): number[] =>
    (runsOf.get(name) ?? []).map(({ perSecond }) => perSecond)
  const compare = (name: keyof typeof all, ours: number[], baseline: number[]): void => {
    const pairs = ours.map((one, at) => ({ ours: one, baseline: baseline[at] ?? Number.NaN }))
    rows.push(rowOf(all[name], pairs))
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
  for (const [operation, measured] of [
    ['creates', creates],
    ['retrieves', reads],
  ] as const) {
    for (const [name, many] of measured) {
      runs.push({ what: `${operation}, ${name}, ${concurrency} at once`, ...medians(many) })
    }
  }
  runs.push({
    what: `inserts, pgbench, ${concurrency} at once`,
    perSecond: Math.round(median(inserts)),
  })
}

function medians(many: readonly Measured[]): object {
  const of = (figure: (run: Measured) => number) => Math.round(median(many.map(figure)))
  return {
    perSecond: of(({ perSecond }) => perSecond),
    'p50 µs': of(({ p50 }) => p50),
    'p99 µs': of(({ p99 }) => p99),
    'cpu µs': of(({ cpu }) => cpu),
  }
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
