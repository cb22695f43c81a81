/** A client on a raw socket that leaves after some bytes of its request or of the response. @module */
import { connect } from 'node:net'
import { rawRequest } from './raw-http.ts'

/** How a client leaves: `fin` closes the connection in order, `rst` resets it. */
type Departure = 'fin' | 'rst'

interface Visit {
  readonly port: number
  readonly host?: string | undefined
  /** In Latin-1, head and body. */
  readonly request: string
  /** Bytes of the request to send. @default All */
  readonly sent?: number
  /** Bytes of the response to read after a complete request. @default 0 */
  readonly received?: number
  readonly departure: Departure
}

/** What {@link leaveAtEveryByte} sends. */
export interface LeavingClients {
  readonly port: number
  readonly host?: string
  /** Each must end its connection with `Connection: close`. */
  readonly requests: readonly string[]
  /** Requests whose response takes long or never ends. */
  readonly endless?: readonly string[]
  /** Rejects if the server no longer serves; called after each 16 clients. */
  readonly serves: () => Promise<unknown>
}

/** Leaves at offsets of each request and of its response, with 16 clients at a time. */
export async function leaveAtEveryByte({
  port,
  host,
  requests,
  endless = [],
  serves,
}: LeavingClients): Promise<void> {
  for (const request of [...requests, ...endless]) {
    const response = endless.includes(request)
      ? ''
      : await rawRequest(port, request, { host, timeoutMs: 60_000 })
    for (const departure of ['fin', 'rst'] as const) {
      const visits = [
        ...offsets(request.length).map((sent) => ({ sent })),
        ...offsets(response.length).map((received) => ({ received })),
      ].map((visit): Visit => ({ port, host, request, departure, ...visit }))
      while (visits.length > 0) {
        await Promise.all(visits.splice(0, 16).map(visitAndLeave))
        await serves()
      }
    }
  }
}

/** Offsets from 0 to `length`, both included: 65, or every byte of a shorter text. */
function offsets(length: number): readonly number[] {
  const steps = Math.min(length, 64)
  return Array.from({ length: steps + 1 }, (_, index) =>
    Math.round((index * length) / Math.max(steps, 1)),
  )
}

function visitAndLeave({
  port,
  host = '127.0.0.1',
  request,
  sent = request.length,
  received = 0,
  departure,
}: Visit): Promise<void> {
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
