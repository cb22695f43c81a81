/** HTTP/1.1 on raw sockets, for requests that no HTTP client sends. @module */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** How {@link rawRequest} and {@link RawConnection} connect and wait. */
export interface RawOptions {
  /** @default 127.0.0.1 */
  readonly host?: string | undefined
  /** Local address, such as `127.0.0.7`, which a server takes for another client. */
  readonly from?: string | undefined
  /** @default 10,000 */
  readonly timeoutMs?: number
}

/** A parsed response. */
export interface RawResponse {
  /** 0 if the connection closed without a complete response. */
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends a request, or its lines, on a new connection and returns all bytes until it closes, in Latin-1.
 *
 * After `timeoutMs` it closes the connection and returns what has arrived.
 */
export async function rawRequest(
  port: number | string,
  request: string | readonly string[],
  { timeoutMs = 10_000, ...options }: RawOptions = {},
): Promise<string> {
  const socket = await openSocket(port, options)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(typeof request === 'string' ? request : request.join('\r\n'), 'latin1')
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  if (!socket.closed) await once(socket, 'close')
  clearTimeout(timer)
  return Buffer.concat(chunks).toString('latin1')
}

/** Opens a socket whose errors are ignored: a server may reset it while the request is written. */
export async function openSocket(
  port: number | string,
  { host = '127.0.0.1', from }: Omit<RawOptions, 'timeoutMs'> = {},
): Promise<Socket> {
  const socket = connect({ port: Number(port), host, ...(from && { localAddress: from }) })
  socket.on('error', () => {})
  socket.setNoDelay(true)
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  return socket
}

/** One connection for many requests, opened again if the server has closed it. */
export class RawConnection {
  readonly #port: number | string
  readonly #options: RawOptions
  #socket: Socket | undefined

  constructor(port: number | string, options: RawOptions = {}) {
    this.#port = port
    this.#options = options
  }

  /**
   * Sends a request, Latin-1 if it is text, and waits for its response.
   *
   * @throws {Error} If neither a response nor the end of the connection arrives in time.
   */
  async send(request: string | Buffer): Promise<RawResponse> {
    if (!this.#socket || this.#socket.destroyed) {
      this.#socket = await openSocket(this.#port, this.#options)
    }
    const socket = this.#socket
    const { timeoutMs = 10_000 } = this.#options
    return new Promise((resolve, reject) => {
      let received: Buffer = Buffer.alloc(0)
      const timer = setTimeout(() => {
        this.close()
        reject(new Error(`no response within ${timeoutMs} ms`))
      }, timeoutMs)
      const finish = (response: RawResponse): void => {
        clearTimeout(timer)
        socket.removeAllListeners('data')
        socket.removeAllListeners('close')
        resolve(response)
      }
      socket.on('data', (chunk: Buffer) => {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const response = parseResponse(received)
        if (!response) return
        if (response.headers.connection === 'close') this.close()
        finish(response)
      })
      socket.on('close', () => {
        this.close()
        finish(parseResponse(received, { ended: true }) ?? { status: 0, headers: {}, body: '' })
      })
      socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = undefined
  }
}

/** Returns the HTTP status of a raw response; 0 if it has none. */
export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0)
}

/** Returns the bytes of a request with a body. */
export function requestBytes(
  line: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const content = Buffer.from(body)
  const head = [
    `${line} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${content.length}`,
  ]
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), content])
}

/** @returns `undefined` until the response is complete. A chunked body is returned with its framing. */
function parseResponse(received: Buffer, { ended = false } = {}): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [first = '', ...lines] = received.toString('latin1', 0, end).split('\r\n')
  const status = statusOf(first)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
  const rest = received.subarray(end + 4)
  if (headers['transfer-encoding'] === 'chunked') {
    const text = rest.toString('latin1')
    return ended || text.endsWith('0\r\n\r\n') ? { status, headers, body: text } : undefined
  }
  const length = Number(headers['content-length'] ?? 0)
  // A response to HEAD has a length but no body: such a request asks for the end of its connection.
  if (rest.length < length && !ended) return undefined
  return { status, headers, body: rest.toString('utf8', 0, length) }
}
