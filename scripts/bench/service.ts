/** The built service: its start, its operations next to PostgreSQL's own `pgbench`, and waiting buyers. @module */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cardOf, type Handoff, HostedPage } from '@pi-checkout/test-support/http-buyer'
import { startTemporaryPostgres } from '@pi-checkout/test-support/postgres'
import {
  newSecretKey,
  type Program,
  type ServiceReady,
  startService,
} from '@pi-checkout/test-support/stack'
import autocannon, { type Request } from 'autocannon'
import { compare, inTurns, type Row } from './rows.ts'

type Service = Program<ServiceReady>

/** Requests at the same time. */
const connections = 32
/** Intents of each measurement. */
const intents = 5_000
/** Open pages that wait for their payment. */
const buyers = 3_000

export async function measure(): Promise<readonly Row[]> {
  const database = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
  const service = await startService(['--shop-origin', 'http://localhost:3000'], {
    PI_RATE_LIMIT: '999999',
    PI_DATABASE_URL: database.url,
    PI_SECRET_KEY: newSecretKey(),
  })
  const { pgbench, ...ours } = await inTurns(5, {
    pgbench: () => 1 / insertsPerSecond(database),
    create: async () => (await create(service, intents)).time,
    retrieve: async () => await retrieve(service, (await create(service, intents)).handoffs),
    confirm: async () => await confirm(service, (await create(service, intents / 2)).handoffs),
  })
  const rows = Object.entries(ours).map(([what, times]) =>
    compare(`time per ${what}`, times, { against: 'a row of pgbench', baseline: pgbench }),
  )
  rows.push(...(await starts()), await waiting(service))
  await service.stop()
  await database.stop()
  return rows
}

/** Seconds until a service with a new SQLite file is ready, and its megabytes then. */
async function starts(): Promise<readonly Row[]> {
  const [seconds, megabytes]: [number[], number[]] = [[], []]
  for (let round = 0; round < 5; round++) {
    const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
    const startedAt = performance.now()
    const service = await startService(['--data', folder], { PI_DATABASE_URL: '' })
    seconds.push((performance.now() - startedAt) / 1000)
    megabytes.push(Number(execFileSync('ps', ['-o', 'rss=', '-p', `${service.child.pid}`])) / 1000)
    await service.stop()
    await rm(folder, { recursive: true })
  }
  const baseline = seconds.map(() => 1)
  return [
    compare('start', seconds, { against: 'a second', baseline, target: '≤ 0.75' }),
    compare('memory after it', megabytes, { against: 'a megabyte', baseline, target: '≤ 120' }),
  ]
}

async function create({ ready }: Service, count: number) {
  const run = randomUUID()
  const handoffs: Handoff[] = []
  const request = (index: number): Request => ({
    path: '/payment-intents',
    headers: { authorization: `Bearer ${ready.apiKey}`, 'idempotency-key': `${run}-${index}` },
    body: JSON.stringify({ amount: 150000, currency: 'AMD', orderId: `A-${index}` }),
  })
  const time = await load(ready.baseUrl, count, request, (body) => handoffs.push(JSON.parse(body)))
  return { time, handoffs }
}

async function retrieve({ ready }: Service, handoffs: readonly Handoff[]): Promise<number> {
  return await load(ready.baseUrl, handoffs.length, (index) => ({
    method: 'GET',
    path: `/payment-intents/${handoffs[index]?.id}`,
    headers: { authorization: `Bearer ${ready.apiKey}` },
  }))
}

/** Pays each intent by card, as the hosted page does. */
async function confirm(service: Service, handoffs: readonly Handoff[]): Promise<number> {
  const { baseUrl } = service.ready
  const pages = await opened(service, handoffs)
  const paymentMethod = cardOf('4242424242424242')
  return await load(baseUrl, pages.length, (index) => ({
    path: '/checkout-api/confirm',
    headers: { origin: baseUrl, authorization: `Bearer ${pages[index]?.token}` },
    body: JSON.stringify({ confirmationId: randomUUID(), version: 1, paymentMethod }),
  }))
}

async function opened({ ready }: Service, handoffs: readonly Handoff[]): Promise<HostedPage[]> {
  const pages: HostedPage[] = []
  for (const handoff of handoffs) {
    const page = new HostedPage({ url: ready.baseUrl })
    await page.open(handoff)
    pages.push(page)
  }
  return pages
}

/** Returns the share of a core that open pages cost which wait for their payment. */
async function waiting(service: Service): Promise<Row> {
  const pages = await opened(service, (await create(service, buyers)).handoffs)
  let isOver = false
  const wait = async (page: HostedPage): Promise<void> => {
    while (!isOver) await (await page.get('?waitForVersion=2')).text()
  }
  const waits = Promise.allSettled(pages.map(wait))
  await sleep(5_000)
  const [startedAt, before] = [performance.now(), processorTime(service)]
  await sleep(60_000)
  const share = (processorTime(service) - before) / (performance.now() - startedAt)
  isOver = true
  await service.stop('SIGKILL')
  await waits
  const what = `processor time of ${buyers} waiting buyers`
  return compare(what, [share], { against: 'a core', baseline: [1], target: '≤ 0.03' })
}

/** Returns the processor time of a program so far, in milliseconds. */
function processorTime({ child }: Service): number {
  const [, fields = ''] = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  return (Number(user) + Number(system)) * 10
}

/** Sends JSON, by default with POST. @returns Seconds for each request. @throws {Error} If one was not successful. */
async function load(
  url: string,
  amount: number,
  request: (index: number) => Request,
  onBody?: (body: string) => void,
): Promise<number> {
  let next = 0
  const setupRequest = (defaults: Request): Request => {
    const { headers, ...rest } = request(next++)
    const json = { 'content-type': 'application/json' }
    return { ...defaults, method: 'POST', ...rest, headers: { ...json, ...headers } }
  }
  const { duration, errors, non2xx } = await autocannon({
    url,
    connections: Math.min(amount, connections),
    amount,
    requests: [{ setupRequest, onResponse: (_status, body) => onBody?.(body) }],
  })
  if (non2xx + errors > 0) throw new Error(`${non2xx} were rejected, and ${errors} failed.`)
  return duration / amount
}

/** Inserts rows of the size of an intent, each in a transaction. */
function insertsPerSecond({ url, binaries }: { readonly url: string; readonly binaries: string }) {
  const table = 'create table if not exists bench (id text primary key, body text)'
  execFileSync(join(binaries, 'psql'), ['-Xqc', table, url], { stdio: 'ignore' })
  const input = "insert into bench values (gen_random_uuid()::text, repeat('x', 300));\n"
  const args = `-n -M prepared -f - -c ${connections} -j 1 -T 3 ${url}`.split(' ')
  const printed = execFileSync(join(binaries, 'pgbench'), args, { input, encoding: 'utf8' })
  return Number(/tps = ([\d.]+)/.exec(printed)?.[1])
}
