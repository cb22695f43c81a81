/**
 * A request exactly as written, for what no HTTP client would send.
 *
 * @module
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends lines and returns the whole answer. */
export async function rawRequest(
  url: string,
  lines: readonly string[],
  body = '',
): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write([...lines, 'Connection: close', '', body].join('\r\n'))
  return await text(socket)
}
