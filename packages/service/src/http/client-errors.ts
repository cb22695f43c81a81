/** Rejects bytes that are not a request, with a problem. @module */
import type { Socket } from 'node:net'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract'
import { newRequestId } from '../ids.ts'
import { closeAfterResponses } from './connections.ts'
import { ProblemError, problemResponse } from './problem.ts'

/** Listener for `clientError`. */
export function sendClientError(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  if (closeAfterResponses(socket)) return
  const [code, detail] = problems[error.code ?? ''] ?? malformed
  const requestId = newRequestId()
  const { status, headers, body } = problemResponse(new ProblemError(code, detail), requestId)
  const fields = {
    ...headers,
    connection: 'close',
    'content-length': Buffer.byteLength(body),
    'request-id': requestId,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${status} ${problemCodes[code].title}`, ...lines, '', body].join('\r\n'))
}

type ClientProblem = readonly [code: ProblemCode, detail: string]

const malformed: ClientProblem = ['invalid_header', 'The request is not well-formed HTTP/1.1.']

const problems: Readonly<Record<string, ClientProblem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [
    'request_timeout',
    'The request did not arrive in time. Send it again.',
  ],
  HPE_HEADER_OVERFLOW: ['invalid_header', 'The headers must be at most 16 KB together.'],
}
