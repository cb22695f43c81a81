/**
 * Requests that no HTTP client sends.
 *
 * @module
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'

/** Sends lines and returns the complete response. */
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

/** Sends lines and returns a `Response`, if it is not chunked. */
export async function rawAnswer(
  url: string,
  lines: readonly string[],
  body = '',
): Promise<Response> {
  const answer = await rawRequest(url, lines, body)
  const end = answer.indexOf('\r\n\r\n')
  const [status = '', ...fields] = answer.slice(0, end).split('\r\n')
  const headers = fields.map((field): [string, string] => {
    const colon = field.indexOf(':')
    return [field.slice(0, colon), field.slice(colon + 1).trim()]
  })
  return new Response(answer.slice(end + 4), { status: Number(status.split(' ', 2)[1]), headers })
}
