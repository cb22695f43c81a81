/**
 * The servers that are measured, each in a separate process, and the requests that they get.
 *
 * @module
 */
import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { type LoadResult, type LoadTarget, load } from '../load.ts'

/** A load, and microseconds of CPU time per request: steadier than time on a busy machine. */
export interface ServerLoad extends LoadResult {
  readonly cpu: number
}

/** How wide and how long a load is. */
export type Width = Pick<LoadTarget, 'concurrency' | 'seconds'>

/** `postgres` and `embedded` are the service, `memory` keeps intents in memory, `bare` is a minimal handler. */
export type ServerKind = 'postgres' | 'embedded' | 'memory' | 'bare'

/** A message to `service-process.ts`. */
export type ServerQuery =
  | { readonly type: 'cpu' }
  /** Fills the store. */
  | { readonly type: 'fill'; readonly count: number }

/** The response to `fill`. */
export interface Filled {
  readonly ids: string[]
  readonly bytes: number
}

// A load warms up for a tenth of its time, which costs CPU time too.
const warmUp = 1.1

export class Server {
  readonly kind: ServerKind
  readonly port: number
  readonly #apiKey: string
  readonly #process: ChildProcess
  /** Ids to retrieve. */
  #ids: string[] = []

  private constructor(
    kind: ServerKind,
    child: ChildProcess,
    ready: { readonly port: number; readonly apiKey: string },
  ) {
    this.kind = kind
    this.port = ready.port
    this.#process = child
    this.#apiKey = ready.apiKey
  }

  /** @param env - Selects the store. */
  static async start(kind: ServerKind, env: NodeJS.ProcessEnv = {}): Promise<Server> {
    const loader = new URL('built-service.mjs', import.meta.url).href
    const child = fork(join(import.meta.dirname, 'service-process.ts'), [kind], {
      env: { ...process.env, PI_DATABASE_URL: '', ...env },
      execArgv: ['--import', 'tsx', '--import', loader],
    })
    child.once('exit', (code) => {
      if (code) throw new Error(`The ${kind} server exited with ${code}.`)
    })
    const [ready] = (await once(child, 'message')) as [{ port: number; apiKey: string }]
    return new Server(kind, child, ready)
  }

  stop(): void {
    this.#process.kill()
  }

  /** Fills the store and retrieves these intents from now on. Returns bytes per intent. */
  async refill(count: number): Promise<number> {
    const { ids, bytes } = (await this.#query({ type: 'fill', count })) as Filled
    this.#ids = ids
    return bytes
  }

  async createMany(width: Width): Promise<ServerLoad> {
    const run = randomBytes(9).toString('hex')
    let count = 0
    return await this.#load({
      ...width,
      next: () => this.create({ key: `${run}-${count++}`, orderId: 'A-1001' }),
      onBody: (body) => {
        if (this.#ids.length < 10_000) this.#ids.push(body.slice(7, 34))
      },
    })
  }

  async retrieveMany(width: Width): Promise<ServerLoad> {
    const headers = `Host: 127.0.0.1\r\nAuthorization: Bearer ${this.#apiKey}\r\n\r\n`
    let count = 0
    const next = (): string =>
      `GET /payment-intents/${this.#ids[count++ % this.#ids.length]} HTTP/1.1\r\n${headers}`
    return await this.#load({ ...width, next })
  }

  /** Returns the bytes of a create. */
  create({ key, orderId }: { readonly key: string; readonly orderId: string }): string {
    const body = JSON.stringify({ amount: 150000, currency: 'AMD', orderId })
    return `POST /payment-intents HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${this.#apiKey}\r\nContent-Type: application/json\r\nIdempotency-Key: ${key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  }

  async #load(target: Omit<LoadTarget, 'port'>): Promise<ServerLoad> {
    const before = await this.#cpu()
    const result = await load({ ...target, port: this.port })
    return { ...result, cpu: ((await this.#cpu()) - before) / result.requests / warmUp }
  }

  async #cpu(): Promise<number> {
    const { user, system } = (await this.#query({ type: 'cpu' })) as NodeJS.CpuUsage
    return user + system
  }

  async #query(query: ServerQuery): Promise<unknown> {
    this.#process.send(query)
    const [response] = await once(this.#process, 'message')
    return response
  }
}
