/**
 * Answers what never became a request: broken syntax, too large headers, bytes that do not come.
 *
 * @module
 */
import type { Socket } from 'node:net'
import { type ProblemCode, problemCodes, problemMediaType } from '@pi-checkout/contract'
import { randomBase62 } from '../identifiers.ts'
import { transportHeaders } from './strict-transport.ts'

/**
 * Returns what listens to a server's `clientError`.
 *
 * @param origin Of the listener, as browsers see it.
 */
export function clientErrorAnswers(origin: string): (error: ClientError, socket: Socket) => void {
  const fixed = Object.entries(transportHeaders(origin)).map(([name, value]) => `${name}: ${value}`)
  return (error, socket) => answerClientError(error, { socket, fixed })
}

function answerClientError(
  error: ClientError,
  { socket, fixed }: { readonly socket: Socket; readonly fixed: readonly string[] },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, detail } = faults.get(error.code ?? '') ?? broken
  const { status, title, retryable } = problemCodes[code]
  const requestId = `req_${randomBase62(20)}`
  const type = `/docs#${code}`
  const body = JSON.stringify({
    ...{ type, title, status, detail, code, requestId, retryable },
    errors: [],
  })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Connection: close',
    `Content-Type: ${problemMediaType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    `Request-Id: ${requestId}`,
    ...fixed,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

type ClientError = Error & { readonly code?: string }

interface Fault {
  readonly code: ProblemCode
  readonly detail: string
}

const broken: Fault = { code: 'invalid_header', detail: 'The request is not well-formed HTTP/1.1.' }

const faults: ReadonlyMap<string, Fault> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    { code: 'request_timeout', detail: 'The request did not arrive in time; send it again.' },
  ],
  [
    'HPE_HEADER_OVERFLOW',
    { code: 'invalid_header', detail: 'The headers are too large; 16 KB is the most.' },
  ],
] satisfies [string, Fault][])
