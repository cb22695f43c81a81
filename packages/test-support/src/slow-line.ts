/** A buyer's slow line: every connection through it shares its bandwidth and waits for its round trips. @module */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface SlowLineOptions {
  /** Milliseconds from a byte to the response to it. A new connection takes one more. */
  readonly roundTrip: number
  /** In each direction, of all connections together. */
  readonly bytesPerSecond: number
}

/** One line of one buyer, for any number of servers. */
export class SlowLine {
  readonly #options: SlowLineOptions
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()
  /** When the latest piece has passed, in each direction. */
  readonly #freeAt = { up: 0, down: 0 }

  constructor(options: SlowLineOptions) {
    this.#options = options
  }

  /** Forwards a free port to `target`, a port of this machine. */
  async forward(target: number): Promise<number> {
    const server = createServer((client) => {
      const upstream = connect(target, '127.0.0.1')
      const connected = sleep(this.#options.roundTrip)
      void this.#pass(client, upstream, 'up', connected)
      void this.#pass(upstream, client, 'down', connected)
    })
    this.#servers.push(server)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    for (const server of this.#servers) {
      server.close()
      await once(server, 'close')
    }
  }

  async #pass(from: Socket, to: Socket, direction: 'up' | 'down', connected: Promise<unknown>) {
    this.#sockets.add(from)
    from.on('error', () => to.destroy()).on('close', () => this.#sockets.delete(from))
    const { roundTrip, bytesPerSecond } = this.#options
    try {
      await connected
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; at += pieceBytes) {
          const piece = chunk.subarray(at, at + pieceBytes)
          const start = Math.max(performance.now(), this.#freeAt[direction])
          this.#freeAt[direction] = start + (piece.length / bytesPerSecond) * 1000
          await sleep(this.#freeAt[direction] - performance.now())
          setTimeout(() => to.write(piece), roundTrip / 2)
        }
      }
      setTimeout(() => to.end(), roundTrip / 2)
    } catch {
      to.destroy()
    }
  }
}

/** A packet. Connections take turns after each. */
const pieceBytes = 1460
