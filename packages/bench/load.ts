/** A load generator that costs little: raw keep-alive sockets, one request in flight on each. @module */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What one run measured. */
export interface LoadResult {
  readonly figures: {
    readonly perSecond: number
    readonly 'p50 µs': number
    readonly 'p95 µs': number
    readonly 'p99 µs': number
  }
  readonly requests: number
}

/** What to send. */
export interface LoadTarget {
  readonly port: number
  readonly concurrency: number
  readonly seconds: number
  /** The bytes of the next request. */
  readonly next: () => string
  /** Called with each response body. */
  readonly onBody?: (body: string) => void
}

/** Sends requests for `seconds`; each response is followed by the next request. */
export async function load(target: LoadTarget): Promise<LoadResult> {
  const sockets = await Promise.all(
    Array.from({ length: target.concurrency }, async () => {
      const socket = connect(target.port, '127.0.0.1').setNoDelay(true)
      await once(socket, 'connect')
      return socket
    }),
  )
  // A tenth of the time to warm connections, caches and the compiler; not counted.
  await drive(sockets, { ...target, seconds: target.seconds / 10 })
  const startedAt = performance.now()
  const times = await drive(sockets, target)
  const elapsed = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  times.sort((one, other) => one - other)
  const quantile = (share: number) => (times[Math.floor(times.length * share)] ?? 0) * 1000
  return {
    figures: {
      perSecond: times.length / elapsed,
      'p50 µs': quantile(0.5),
      'p95 µs': quantile(0.95),
      'p99 µs': quantile(0.99),
    },
    requests: times.length,
  }
}

async function drive(sockets: readonly Socket[], target: LoadTarget): Promise<number[]> {
  const times: number[] = []
  const end = performance.now() + target.seconds * 1000
  await Promise.all(sockets.map(async (socket) => await driveOne(socket, target, { end, times })))
  return times
}

function driveOne(
  socket: Socket,
  { next, onBody }: LoadTarget,
  { end, times }: { readonly end: number; readonly times: number[] },
): Promise<void> {
  return new Promise((resolve, reject) => {
    let received = ''
    let sent = 0
    const send = (): void => {
      sent = performance.now()
      socket.write(next())
    }
    const read = (part: Buffer): void => {
      received += part.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      if (head === -1) return
      const [, length = '0'] = /content-length: (\d+)/i.exec(received) ?? []
      if (received.length < head + 4 + Number(length)) return
      if (!/^HTTP\/1\.1 20/.test(received)) {
        reject(new Error(received.slice(0, 500)))
        return
      }
      const now = performance.now()
      times.push(now - sent)
      onBody?.(received.slice(head + 4))
      received = ''
      if (now < end) {
        send()
        return
      }
      socket.off('data', read)
      resolve()
    }
    socket.on('data', read)
    socket.once('error', reject)
    send()
  })
}
