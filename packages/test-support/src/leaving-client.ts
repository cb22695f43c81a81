/** A client on a raw socket that leaves after some bytes of its request or of the response. @module */
import { connect } from 'node:net'
import { seed } from './generated.ts'
import { rawRequest } from './raw-http.ts'
import { seededRandom } from './seeded-random.ts'

interface Visit {
  /** `fin` closes the connection in order, `rst` resets it. */
  readonly departure: 'fin' | 'rst'
  /** In Latin-1, head and body. */
  readonly request: string
  /** Bytes of the request to send. @default All */
  readonly sent?: number
  /** Bytes of the response to read after a complete request. @default 0 */
  readonly received?: number
}

export interface LeavingClients {
  readonly port: number
  readonly host?: string | undefined
  /** Each must end its connection with `Connection: close`. */
  readonly requests: readonly string[]
  /** Requests whose response takes long or never ends. */
  readonly endless?: readonly string[]
  /** Rejects if the server no longer serves; called after each 16 clients. */
  readonly serves: () => Promise<unknown>
}

/** Leaves 400 times at any byte of a request or of its response, with 16 clients at a time. */
export async function leaveAtAnyByte({
  port,
  host,
  requests,
  endless = [],
  serves,
}: LeavingClients): Promise<void> {
  const random = seededRandom(seed)
  const upTo = (count: number): number => Math.floor(random() * (count + 1))
  const places: (() => Omit<Visit, 'departure'>)[] = []
  for (const request of [...requests, ...endless]) {
    places.push(() => ({ request, sent: upTo(request.length) }))
  }
  for (const request of requests) {
    const { length } = await rawRequest(port, request, { host, timeoutMs: 60_000 })
    places.push(() => ({ request, received: upTo(length) }))
  }
  for (let batch = 0; batch < 25; batch++) {
    const visits = Array.from({ length: 16 }, () => {
      const place = places[upTo(places.length - 1)]?.() ?? { request: '' }
      return { ...place, departure: random() < 0.5 ? ('fin' as const) : ('rst' as const) }
    })
    await Promise.all(visits.map((visit) => visitAndLeave({ port, host }, visit)))
    await serves().catch((cause) => {
      throw new Error(`PI_SEED=${seed}: ${String(cause)} after ${JSON.stringify(visits)}`, {
        cause,
      })
    })
  }
}

function visitAndLeave(
  { port, host = '127.0.0.1' }: Pick<LeavingClients, 'port' | 'host'>,
  { departure, request, sent = request.length, received = 0 }: Visit,
): Promise<void> {
  return new Promise((resolve) => {
    let count = 0
    const leave = (): void => {
      if (departure === 'rst') socket.resetAndDestroy()
      else socket.destroy()
    }
    // A buffer of exactly this size reads no further byte: the unread rest breaks the connection.
    const onread = {
      buffer: Buffer.alloc(Math.max(received, 1)),
      callback: (read: number): boolean => {
        count += read
        if (count >= received) leave()
        return true
      },
    }
    const socket = connect({ port, host, ...(received > 0 ? { onread } : {}) }, () => {
      const bytes = Buffer.from(request.slice(0, sent), 'latin1')
      if (bytes.length === 0) leave()
      else socket.write(bytes, () => received === 0 && leave())
    })
    // The server may reset the connection first.
    socket.on('error', () => {})
    socket.on('close', () => resolve())
  })
}
