/** A load generator that costs little: raw keep-alive sockets, one request in flight on each. @module */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** What to send. */
export interface Load {
  readonly port: number
  readonly concurrency: number
  readonly count: number
  /** The bytes of a request. */
  readonly request: (index: number) => string
  /** Called with each response body. */
  readonly onBody?: (body: string, index: number) => void
}

/** Sends a number of requests; each response is followed by the next request. */
export async function load(target: Load): Promise<Record<'perSecond' | 'p95 µs', number>> {
  const sockets = await Promise.all(
    Array.from({ length: target.concurrency }, async () => {
      const socket = connect(target.port, '127.0.0.1').setNoDelay(true)
      await once(socket, 'connect')
      return socket
    }),
  )
  const times: number[] = []
  let next = 0
  const startedAt = performance.now()
  const send = async (socket: Socket): Promise<void> => {
    while (next < target.count) {
      const index = next++
      const sentAt = performance.now()
      socket.write(target.request(index))
      const body = await bodyOf(socket)
      times.push(performance.now() - sentAt)
      target.onBody?.(body, index)
    }
  }
  await Promise.all(sockets.map(send))
  const seconds = (performance.now() - startedAt) / 1000
  for (const socket of sockets) socket.destroy()
  times.sort((one, other) => one - other)
  const p95 = times[Math.floor(times.length * 0.95)] ?? Number.NaN
  return { perSecond: target.count / seconds, 'p95 µs': p95 * 1000 }
}

/** Waits for a response with a length. @throws {Error} If its status is not 2xx. */
function bodyOf(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = ''
    const read = (part: Buffer): void => {
      received += part.toString('latin1')
      const head = received.indexOf('\r\n\r\n')
      const [, length = '0'] = /content-length: (\d+)/i.exec(received) ?? []
      if (head === -1 || received.length < head + 4 + Number(length)) return
      socket.off('data', read)
      socket.off('error', reject)
      if (/^HTTP\/1\.1 20/.test(received)) resolve(received.slice(head + 4))
      else reject(new Error(received.slice(0, 500)))
    }
    socket.on('data', read)
    socket.once('error', reject)
  })
}
