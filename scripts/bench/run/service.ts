/** The built service with each store, by its public API, next to PostgreSQL's own `pgbench`. @module */
import { execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTemporaryPostgres, type TemporaryPostgres } from '@pi-checkout/test-support/postgres'
import {
  newSecretKey,
  type Program,
  type ServiceReady,
  startService,
} from '@pi-checkout/test-support/stack'
import { load } from '../load.ts'
import type { Samples, Size } from '../samples.ts'

const shopOrigin = 'https://shop.example'
const concurrency = 64

interface Created {
  readonly id: string
  readonly clientSecret: string
}

export async function measure(samples: Samples, size: Size): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-bench-'))
  const database = await startTemporaryPostgres({ shared_buffers: '1GB', max_wal_size: '8GB' })
  const secrets = { PI_SECRET_KEY: newSecretKey() }
  const [rounds, count] = [size(5, 1), size(5_000, 100)]
  const inPostgres = async (apiKey?: string) => {
    const env = { ...secrets, PI_DATABASE_URL: database.url }
    return Service.start([], env, apiKey)
  }
  const embeddedIn = (name: string) => Service.start(['--data', join(folder, name)], {})
  await measureStarts()
  const stores = { PostgreSQL: await inPostgres(), 'embedded store': await embeddedIn('data') }
  for (const [store, service] of Object.entries(stores)) {
    await measureLoad(store, service)
    await measureGrowth(
      store,
      service,
      store === 'PostgreSQL' ? size(1_000_000, 500) : size(100_000, 500),
    )
  }
  await stores['embedded store'].stop()
  await measureWaiting(stores.PostgreSQL, 10_000)
  await stores.PostgreSQL.stop()
  await database.stop()
  await rm(folder, { recursive: true, force: true })

  async function measureStarts(): Promise<void> {
    let number = 0
    const start = async (name: string) => {
      const startedAt = performance.now()
      const service = await embeddedIn(name)
      await service.create(1)
      const seconds = (performance.now() - startedAt) / 1000
      await service.stop()
      return { seconds }
    }
    await samples.inTurns(rounds, [
      async (record) => record('start, new directory', await start(`new-${number++}`)),
      async (record) => record('start, existing directory', await start('existing')),
    ])
  }

  async function measureLoad(store: string, service: Service): Promise<void> {
    await samples.inTurns(rounds, [
      async (record) => record(`pgbench, ${store}`, await runPgbench(database, size(3, 2))),
      async (record) => {
        const open = await service.create(count)
        record(`creates, ${store}`, open.figures)
        record(`retrieves, open, ${store}`, await service.retrieve(open.created))
        const tokens = await service.openSessions(open.created.slice(0, count / 2))
        record(`confirmations, ${store}`, await service.confirm(tokens))
      },
    ])
  }

  /** A store with many intents, next to itself with few. */
  async function measureGrowth(store: string, service: Service, many: number): Promise<void> {
    const bytesBefore = bytesOf(store)
    const measureStore = async (name: string): Promise<void> => {
      for (let round = 0; round < rounds; round++) {
        const { created, figures } = await service.create(count)
        samples.record(`creates, ${store}, ${name}`, figures)
        samples.record(`retrieves, ${store}, ${name}`, await service.retrieve(created))
      }
    }
    await measureStore('few')
    await service.create(many)
    // A running store has done this for the older ones.
    if (store === 'PostgreSQL') query('vacuum analyze')
    samples.record(`storage, ${store}`, { bytes: (bytesOf(store) - bytesBefore) / many })
    await measureStore('many')
  }

  /** Bytes on disk of all data. */
  function bytesOf(store: string): number {
    if (store === 'PostgreSQL') {
      query('checkpoint')
      return Number(query('select pg_database_size(current_database())'))
    }
    // The log has a size that does not grow with the intents.
    const args = ['-sb', '--exclude=pg_wal', join(folder, 'data/database')]
    return Number.parseInt(execFileSync('du', args, { encoding: 'utf8' }), 10)
  }

  function query(statement: string): string {
    const args = ['-AtXqc', statement, database.url]
    return execFileSync(join(database.binaries, 'psql'), args, { encoding: 'utf8' })
  }

  /** CPU time of an instance where buyers wait, and creates next to them. */
  async function measureWaiting(service: Service, buyers: number): Promise<void> {
    const waiting = size(buyers, 50)
    const idle = await inPostgres(service.apiKey)
    const { created } = await service.create(waiting)
    const tokens = await service.openSessions(created)
    const disconnected = service.cpuSeconds()
    const disconnect = await service.connectBuyers(tokens)
    await sleep(size(45_000, 100))
    const [startedAt, connected] = [performance.now(), service.cpuSeconds()]
    await sleep(size(120_000, 100))
    const waited = ((service.cpuSeconds() - connected) * 1000) / (performance.now() - startedAt)
    // A request waits for 540 seconds on average. Then the page sends the next one.
    const cores = (connected - disconnected) / 540 + waited
    samples.record(`waiting buyers, ${buyers}`, { cores })
    await samples.inTurns(rounds, [
      async (record) =>
        record(`creates next to ${buyers}`, (await service.create(count, 4)).figures),
      async (record) => record(`creates without ${buyers}`, (await idle.create(count, 4)).figures),
    ])
    disconnect()
    await idle.stop()
  }
}

class Service {
  readonly #program: Program<ServiceReady>
  readonly #port: number
  readonly apiKey: string

  private constructor(program: Program<ServiceReady>, apiKey: string) {
    this.#program = program
    this.apiKey = apiKey
    this.#port = Number(new URL(program.ready.baseUrl).port)
  }

  /** @param apiKey - Of the store's first start: later ones print none. */
  static async start(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    apiKey?: string,
  ): Promise<Service> {
    const limit = { PI_RATE_LIMIT: '999999', PI_DATABASE_URL: '' }
    const program = await startService([...args, '--shop-origin', shopOrigin], { ...limit, ...env })
    return new Service(program, apiKey ?? program.ready.apiKey)
  }

  async stop(): Promise<void> {
    await this.#program.stop()
  }

  async create(count: number, width = concurrency) {
    const run = randomUUID()
    const created: Created[] = []
    const figures = await load({
      ...this.#width(count, width),
      request: (index) => {
        const body = { amount: 150000, currency: 'AMD', orderId: `A-${index}` }
        return this.#post('/payment-intents', body, `Idempotency-Key: ${run}-${index}\r\n`)
      },
      onBody: (body) => {
        if (created.length < 20_000) created.push(JSON.parse(body))
      },
    })
    return { created, figures }
  }

  /** Reads each intent four times, because a shorter time shows only the first reads of idle connections. */
  async retrieve(created: readonly Created[]) {
    return await load({
      ...this.#width(4 * created.length),
      request: (index) => this.#get(`/payment-intents/${created[index % created.length]?.id}`),
    })
  }

  /** Opens a checkout session for each intent. Returns their tokens. */
  async openSessions(created: readonly Created[]): Promise<readonly string[]> {
    const tokens: string[] = []
    await load({
      ...this.#width(created.length),
      request: (index) => {
        const { id, clientSecret } = created[index] as Created
        const credentials = { id, clientSecret, origin: shopOrigin }
        return this.#post('/checkout-api/session', credentials, this.#ownOrigin)
      },
      onBody: (body) => tokens.push(JSON.parse(body).token),
    })
    return tokens
  }

  async confirm(tokens: readonly string[]) {
    const card = { number: '4242424242424242', expMonth: 12, expYear: 2034, cvc: '123' }
    return await load({
      ...this.#width(tokens.length),
      request: (index) => {
        const paymentMethod = { type: 'card', card }
        const body = { confirmationId: randomUUID(), version: 1, paymentMethod }
        return this.#post('/checkout-api/confirm', body, this.#ownOrigin, tokens[index])
      },
    })
  }

  /** Connects a waiting buyer for each session, as the hosted page does. Returns what ends them. */
  async connectBuyers(tokens: readonly string[]): Promise<() => void> {
    const sockets: Socket[] = []
    // One after the other, because the queue of new connections is short.
    for (const token of tokens) {
      const socket = connect(this.#port, '127.0.0.1')
      await once(socket, 'connect')
      const request = this.#get('/checkout-api/intent?waitForVersion=2', token)
      socket.on('data', (part) => {
        const received = part.toString('latin1')
        if (/^HTTP\/1\.1 [345]/.test(received)) throw new Error(received)
        if (received.includes('"version"')) socket.write(request)
      })
      socket.write(request)
      sockets.push(socket)
    }
    return () => {
      for (const socket of sockets) socket.destroy()
    }
  }

  /** CPU time since the start. Linux only. */
  cpuSeconds(): number {
    const fields = readFileSync(`/proc/${this.#program.child.pid}/stat`, 'utf8').split(') ')[1]
    const [user, system] = fields?.split(' ').slice(11, 13) ?? []
    // In ticks of a hundredth of a second.
    return (Number(user) + Number(system)) / 100
  }

  #width(count: number, width = concurrency) {
    return { port: this.#port, concurrency: Math.min(count, width), count }
  }

  get #ownOrigin(): string {
    return `Origin: ${this.#program.ready.baseUrl}\r\n`
  }

  #get(path: string, token = this.apiKey): string {
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\nAuthorization: Bearer ${token}\r\n\r\n`
  }

  #post(path: string, fields: object, headers: string, token = this.apiKey): string {
    const body = JSON.stringify(fields)
    const authorization =
      path === '/checkout-api/session' ? '' : `Authorization: Bearer ${token}\r\n`
    return `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\n${authorization}Content-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
  }
}

/** Inserts one row of the size of an intent in each transaction. */
async function runPgbench({ binaries, url }: TemporaryPostgres, seconds: number) {
  const table = 'create table if not exists bench (id text primary key, body text)'
  execFileSync(join(binaries, 'psql'), ['-Xqc', table, url], { stdio: 'ignore' })
  const options = ['-n', '-M', 'prepared', '-f', '-', '-c', String(concurrency), '-j', '1']
  const child = spawn(join(binaries, 'pgbench'), [...options, '-T', String(seconds), url], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  child.stdin.end("insert into bench values (gen_random_uuid()::text, repeat('x', 300));\n")
  const printed = await text(child.stdout)
  const [, rate] = /tps = ([\d.]+)/.exec(printed) ?? []
  if (!rate) throw new Error(`pgbench printed no rate: ${printed}`)
  return { perSecond: Number(rate) }
}
