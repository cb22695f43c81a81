/** The servers that are measured, and the requests that they get. @module */
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type LoadResult, type LoadTarget, load } from '../load.ts'
import { type Ready, startChild } from './child.ts'

/** How wide and how long a load is. */
export type Width = Pick<LoadTarget, 'concurrency' | 'seconds'>

/** `postgres` and `embedded` are the service, `memory` keeps intents in memory, `bare` is a minimal handler. */
export type ServerKind = 'postgres' | 'embedded' | 'memory' | 'bare'

/** A message to `service-process.ts`: asks for its CPU time or for checkout sessions, or fills its store. */
export type ServerQuery =
  | { readonly type: 'cpu' }
  | { readonly type: 'sessions'; readonly ids: readonly string[] }
  | { readonly type: 'fill'; readonly count: number }

/** The response to `fill`. */
export interface Filled {
  readonly ids: string[]
  readonly bytes: number
}

type ServerFigures = LoadResult['figures'] & { readonly 'cpu µs': number }

// A load warms up for a tenth of its time, which costs CPU time too.
const warmUp = 1.1

export class Server {
  readonly kind: ServerKind
  readonly port: number
  readonly #apiKey: string
  readonly #child: ChildProcess
  /** Ids to retrieve. */
  #ids: string[] = []

  private constructor(kind: ServerKind, started: Ready & { readonly child: ChildProcess }) {
    this.kind = kind
    this.port = started.port
    this.#apiKey = started.apiKey
    this.#child = started.child
  }

  /** @param env - Selects the store. */
  static async start(kind: ServerKind, env: NodeJS.ProcessEnv = {}): Promise<Server> {
    const variables = { PI_DATABASE_URL: '', ...env }
    return new Server(kind, await startChild('service-process.ts', [kind], variables))
  }

  stop(): void {
    this.#child.kill()
  }

  /** Fills the store and retrieves these intents from now on. Returns bytes per intent. */
  async refill(count: number): Promise<number> {
    const { ids, bytes } = (await this.#query({ type: 'fill', count })) as Filled
    this.#ids = ids
    return bytes
  }

  /** Opens a checkout session for each intent. Returns their tokens. */
  async openSessions(): Promise<readonly string[]> {
    return (await this.#query({ type: 'sessions', ids: this.#ids })) as string[]
  }

  /** Connects a waiting buyer for each session, as the hosted page does. Returns what ends them. */
  async connectBuyers(tokens: readonly string[]): Promise<() => void> {
    const sockets: Socket[] = []
    // One after the other, because the queue of new connections is short.
    for (const token of tokens) sockets.push(await waitWith(this.port, token))
    return () => {
      for (const socket of sockets) socket.destroy()
    }
  }

  /** CPU time in microseconds since the start. */
  async cpu(): Promise<number> {
    const { user, system } = (await this.#query({ type: 'cpu' })) as NodeJS.CpuUsage
    return user + system
  }

  async createMany(width: Width): Promise<ServerFigures> {
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

  async retrieveMany(width: Width): Promise<ServerFigures> {
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

  /** CPU time is steadier than time on a busy machine. */
  async #load(target: Omit<LoadTarget, 'port'>): Promise<ServerFigures> {
    const before = await this.cpu()
    const { figures, requests } = await load({ ...target, port: this.port })
    return { ...figures, 'cpu µs': ((await this.cpu()) - before) / requests / warmUp }
  }

  async #query(query: ServerQuery): Promise<unknown> {
    this.#child.send(query)
    const [response] = await once(this.#child, 'message')
    return response
  }
}

/** Waits for the next version, again and again. */
async function waitWith(port: number, token: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  const send = () =>
    socket.write(
      `GET /checkout-api/intent?waitForVersion=2&keepAlive HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    )
  socket.on('data', (part) => {
    const text = part.toString('latin1')
    if (/^HTTP\/1\.1 [345]/.test(text)) throw new Error(text)
    if (text.includes('"version"')) send()
  })
  send()
  return socket
}
