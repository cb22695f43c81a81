/**
 * What HTTP/1.1 itself requires of a request, and Node.js would accept or reject with a bare status: broken
 * syntax, late bytes, `Host`, `Transfer-Encoding`, and `Expect`. Each is rejected with a problem and every
 * header that a response has.
 *
 * @module
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract'
import { newRequestId } from '../ids.ts'
import { hstsHeaders } from './hsts.ts'
import { ProblemError, problemBody, problemHeaders } from './problem.ts'
import { singleHeader } from './single-header.ts'

/** For `createServer`: `checkWellFormed` requires the header instead. */
export const hostOption = { requireHostHeader: false } as const

/**
 * Checks that a request is well-formed HTTP/1.1, and leaves only the path as its address.
 *
 * @throws {ProblemError} `invalid_header` or `unsupported_transfer_encoding`.
 */
export function checkWellFormed(request: IncomingMessage): void {
  checkHost(request)
  checkTransferEncoding(request)
}

/** @see RFC 9112, §3.2 */
function checkHost(request: IncomingMessage): void {
  const { headers, httpVersion, url = '' } = request
  const host = singleHeader(request, 'host')
  if (host === undefined && httpVersion !== '1.0') {
    throw new ProblemError('invalid_header', 'Host is missing; send it once.')
  }
  // A proxy's form of the address names the host itself, and then the header does not count.
  const [origin, authority] = url.startsWith('/') ? [] : (absoluteForm.exec(url) ?? [])
  if (origin !== undefined) {
    const path = url.slice(origin.length)
    headers.host = authority
    request.url = path.startsWith('/') ? path : `/${path}`
  }
  if (headers.host !== undefined && !hostPattern.test(headers.host)) {
    throw new ProblemError('invalid_header', 'Host must be a host name or address with its port.')
  }
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i
const hostPattern = /^[\w.~!$&'()*+,;=:[\]%-]*$/

/** @see RFC 9112, §6.1 */
function checkTransferEncoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw new ProblemError(
    'unsupported_transfer_encoding',
    'Transfer-Encoding must be chunked, or left out.',
  )
}

/** Handles `Expect: 100-continue`: a client is asked for its body just before the body is read. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: Expecting, response: ServerResponse) => {
    request[waiting] = response
    server.emit('request', request, response)
  })
}

/** Asks the client for the body that it announced, if it waits to be asked. */
export function askForBody(request: Expecting): void {
  const response = request[waiting]
  if (!response) return
  request[waiting] = undefined
  if (!response.headersSent) response.writeContinue()
}

const waiting = Symbol('waits for 100 Continue')

interface Expecting extends IncomingMessage {
  [waiting]?: ServerResponse | undefined
}

/**
 * Returns the listener for a server's `clientError`: for bytes that never became a request.
 *
 * @param origin - Of the listener, as browsers see it.
 */
export function clientErrorListener(origin: string): (error: ClientError, socket: Socket) => void {
  const fixed = hstsHeaders(origin)
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const [code, detail] = clientProblems.get(error.code ?? '') ?? malformed
    const { status, title } = problemCodes[code]
    const requestId = newRequestId()
    const body = problemBody(new ProblemError(code, detail), requestId)
    const headers = {
      connection: 'close',
      'content-length': Buffer.byteLength(body),
      ...problemHeaders,
      'request-id': requestId,
      ...fixed,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end([`HTTP/1.1 ${status} ${title}`, ...lines, '', body].join('\r\n'))
  }
}

type ClientError = Error & { readonly code?: string }
type ClientProblem = readonly [code: ProblemCode, detail: string]

const malformed: ClientProblem = ['invalid_header', 'The request is not well-formed HTTP/1.1.']

const clientProblems: ReadonlyMap<string, ClientProblem> = new Map([
  [
    'ERR_HTTP_REQUEST_TIMEOUT',
    ['request_timeout', 'The request did not arrive in time; send it again.'],
  ],
  ['HPE_HEADER_OVERFLOW', ['invalid_header', 'The headers are too large; 16 KB is the most.']],
])
