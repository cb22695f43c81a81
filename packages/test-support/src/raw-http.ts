/** HTTP/1.1 on raw sockets, for requests that no HTTP client sends. @module */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface RawOptions {
  /** @default 127.0.0.1 */
  readonly host?: string | undefined
  /** Local address, such as `127.0.0.7`, which a server takes for another client. */
  readonly from?: string | undefined
  /** @default 10,000 */
  readonly timeoutMs?: number
}

export interface RawResponse {
  /** 0 if the connection closed without a complete head. */
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
  // Not `once` of node:events, which rejects when the server resets the connection while the request is written.
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
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

/**
 * Sends a request that has `Connection: close`, and parses the response.
 *
 * @returns A chunked body with its framing.
 */
export async function sendRequest(
  port: number | string,
  request: string,
  options: RawOptions = {},
): Promise<RawResponse> {
  const [head = '', ...rest] = (await rawRequest(port, request, options)).split('\r\n\r\n')
  const fields = head.matchAll(/^([^:\s]+): *(.*)$/gm)
  return {
    status: statusOf(head),
    headers: Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, value])),
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString(),
  }
}

/** Returns the HTTP status of a raw response; 0 if it has none. */
export function statusOf(response: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(response)?.[1] ?? 0)
}
