/** A client on a raw socket that leaves after some bytes of its request or of the response. @module */
import { connect } from 'node:net'
import fc from 'fast-check'
import { repeatable } from './generated.ts'
import { rawRequest } from './raw-http.ts'

interface Visit {
  /** `fin` closes the connection in order, `rst` resets it. */
  readonly departure: 'fin' | 'rst'
  readonly place: {
    /** In Latin-1, head and body. */
    readonly request: string
    /** Bytes of the request to send. @default All */
    readonly sent?: number
    /** Bytes of the response to read after a complete request. @default 0 */
    readonly received?: number
  }
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
  const places: fc.Arbitrary<Visit['place']>[] = endless.map((request) =>
    fc.record({ request: fc.constant(request), sent: upTo(request) }),
  )
  for (const request of requests) {
    const response = await rawRequest(port, request, { host, timeoutMs: 60_000 })
    const known = fc.constant(request)
    places.push(fc.record({ request: known, sent: upTo(request) }))
    places.push(fc.record({ request: known, received: upTo(response) }))
  }
  const visit = fc.record({ departure: fc.constantFrom('fin', 'rst'), place: fc.oneof(...places) })
  const visits = fc.array(visit, { minLength: 16, maxLength: 16 })
  const leave = async (batch: readonly Visit[]): Promise<void> => {
    await Promise.all(batch.map((each) => visitAndLeave({ port, host }, each)))
    await serves()
  }
  await fc.assert(fc.asyncProperty(visits, leave), repeatable(25))
}

function upTo(text: string): fc.Arbitrary<number> {
  return fc.nat(text.length)
}

function visitAndLeave(
  { port, host = '127.0.0.1' }: Pick<LeavingClients, 'port' | 'host'>,
  { departure, place: { request, sent = request.length, received = 0 } }: Visit,
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
