/** The built service by its public API, with each store, next to PostgreSQL's own `pgbench`. @module */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cardOf, type Handoff, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { postgresBinaries, startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import {
  newSecretKey,
  type Program,
  type ServiceReady,
  startService,
} from '@pi-checkout/test-support/stack'
import { compare, inTurns, type Row, type Size } from './compare.ts'
import { connections, load } from './load.ts'

type Service = Program<ServiceReady>

export async function measure(size: Size): Promise<readonly Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
  const database = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
  const start = (url: string, ...args: readonly string[]): Promise<Service> =>
    startService([...args, '--shop-origin', 'http://localhost:3000'], {
      PI_RATE_LIMIT: '999999',
      PI_DATABASE_URL: url,
      ...(url && { PI_SECRET_KEY: newSecretKey() }),
    })
  const embedded = (name: string): Promise<Service> => start('', '--data', join(folder, name))
  const rows = [...(await starts(() => embedded('started'), size))]
  const stores = { PostgreSQL: await start(database.url), embedded: await embedded('data') }
  for (const [store, service] of Object.entries(stores)) {
    const measured = await loads(service, database.url, size)
    rows.push(...measured.map((row) => ({ ...row, what: `${row.what}, ${store}` })))
    await service.stop()
  }
  await database.stop()
  await rm(folder, { recursive: true, force: true })
  return rows
}

/** Seconds until the first intent is created, and the memory after it. */
async function starts(start: () => Promise<Service>, size: Size): Promise<readonly Row[]> {
  const [seconds, memory]: [number[], number[]] = [[], []]
  for (let round = 0; round < size(5, 1); round++) {
    const startedAt = performance.now()
    const service = await start()
    await create(service, 1)
    seconds.push((performance.now() - startedAt) / 1000)
    memory.push(Number(execFileSync('ps', ['-o', 'rss=', '-p', `${service.child.pid}`])) / 1000)
    await service.stop()
  }
  return [
    compare('start to first created intent', seconds, {
      against: '1 second',
      baseline: 1,
      target: '≤ 1',
    }),
    compare('memory after it', memory, { against: '100 MB', baseline: 100, target: '≤ 1.5' }),
  ]
}

async function loads(service: Service, url: string, size: Size) {
  const count = size(5_000, 100)
  const { pgbench: baseline, ...ours } = await inTurns(size(5, 1), {
    pgbench: () => pgbench(url, 3),
    creates: async () => (await create(service, count)).perSecond,
    retrieves: async () => await retrieve(service, (await create(service, count)).handoffs),
    confirmations: async () => await confirm(service, (await create(service, count / 2)).handoffs),
  })
  return Object.entries(ours).map(([what, perSecond]) =>
    compare(`${what} per second`, perSecond, { against: 'pgbench', baseline }),
  )
}

async function create({ ready }: Service, count: number) {
  const run = randomUUID()
  const handoffs: Handoff[] = []
  const perSecond = await load(ready.baseUrl, {
    count,
    request: (index) => ({
      path: '/payment-intents',
      headers: { authorization: `Bearer ${ready.apiKey}`, 'idempotency-key': `${run}-${index}` },
      body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: `A-${index}` }),
    }),
    onBody: (body) => handoffs.push(JSON.parse(body)),
  })
  return { perSecond, handoffs }
}

async function retrieve({ ready }: Service, handoffs: readonly Handoff[]): Promise<number> {
  return await load(ready.baseUrl, {
    count: handoffs.length,
    request: (index) => ({
      method: 'GET',
      path: `/payment-intents/${handoffs[index]?.id}`,
      headers: { authorization: `Bearer ${ready.apiKey}` },
    }),
  })
}

/** Pays each intent by card, as the hosted page does. */
async function confirm({ ready }: Service, handoffs: readonly Handoff[]): Promise<number> {
  const tokens: string[] = []
  for (const handoff of handoffs) {
    tokens.push((await new HostedPage({ url: ready.baseUrl }).open(handoff)).token)
  }
  const paymentMethod = cardOf('4242424242424242')
  return await load(ready.baseUrl, {
    count: tokens.length,
    request: (index) => ({
      path: '/checkout-api/confirm',
      headers: { origin: ready.baseUrl, authorization: `Bearer ${tokens[index]}` },
      body: JSON.stringify({ confirmationId: randomUUID(), version: 1, paymentMethod }),
    }),
  })
}

/** Inserts one row of the size of an intent in each transaction. @returns Transactions per second. */
function pgbench(url: string, seconds: number): number {
  const table = 'create table if not exists bench (id text primary key, body text)'
  execFileSync(join(postgresBinaries ?? '', 'psql'), ['-Xqc', table, url], { stdio: 'ignore' })
  const input = "insert into bench values (gen_random_uuid()::text, repeat('x', 300));\n"
  const args = `-n -M prepared -f - -c ${connections} -j 1 -T ${seconds} ${url}`.split(' ')
  const program = join(postgresBinaries ?? '', 'pgbench')
  return Number(
    /tps = ([\d.]+)/.exec(execFileSync(program, args, { input, encoding: 'utf8' }))?.[1],
  )
}
