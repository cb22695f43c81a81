/** Rejects requests that break HTTP/1.1, with a problem. Node.js accepts some, or sends no body. @module */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { type ProblemCode, problemCodes } from '@pi-checkout/contract'
import { newRequestId } from '../ids.ts'
import { closeAfterResponses } from './connections.ts'
import { hstsHeaders } from './hsts.ts'
import { ProblemError, problemBody, problemHeaders } from './problem.ts'
import { singleHeader } from './single-header.ts'

/** Checks that a request is well-formed HTTP/1.1. Reduces its address to the path. */
export function checkWellFormed(request: IncomingMessage): void {
  checkHost(request)
  checkTransferEncoding(request)
  checkExpect(request)
}

/** Checks `Host`, and reads it from an address in absolute form. @see RFC 9112, §3.2 */
function checkHost(request: IncomingMessage): void {
  const { headers, httpVersion, url = '' } = request
  const host = singleHeader(request, 'host')
  if (host === undefined && httpVersion !== '1.0') {
    throw new ProblemError('invalid_header', 'Host is missing. Send it once.')
  }
  // An address in absolute form, as sent to a proxy, includes the host, which replaces the header.
  const [origin, authority] = url.startsWith('/') ? [] : (absoluteForm.exec(url) ?? [])
  if (origin !== undefined) {
    const path = url.slice(origin.length)
    headers.host = authority
    request.url = path.startsWith('/') ? path : `/${path}`
  }
  if (headers.host !== undefined && !hostPattern.test(headers.host)) {
    throw new ProblemError('invalid_header', 'Host must be a host name or address, with its port.')
  }
}

const absoluteForm = /^https?:\/\/([^/?#]*)/i
const hostPattern = /^[\w.~!$&'()*+,;=:[\]%-]*$/

/** Rejects codings other than `chunked`. @see RFC 9112, §6.1 */
function checkTransferEncoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw new ProblemError(
    'unsupported_transfer_encoding',
    'Transfer-Encoding must be chunked or omitted.',
  )
}

function checkExpect({ headers: { expect } }: IncomingMessage): void {
  if (expect === undefined || expect.toLowerCase() === '100-continue') return
  throw new ProblemError('invalid_header', 'Expect must be 100-continue or omitted.')
}

/** Sends `100 Continue` only when a body is about to be read, so that a rejected request sends none. */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request: Expecting, response: ServerResponse) => {
    request[awaitsContinue] = response
    server.emit('request', request, response)
  })
}

/** Sends `100 Continue` if the client waits for it before it sends its body. */
export function sendContinue(request: Expecting): void {
  const response = request[awaitsContinue]
  if (!response) return
  request[awaitsContinue] = undefined
  if (!response.headersSent) response.writeContinue()
}

const awaitsContinue = Symbol('awaitsContinue')

interface Expecting extends IncomingMessage {
  [awaitsContinue]?: ServerResponse | undefined
}

/** Returns the listener for `clientError`, which Node.js emits for bytes that are not a request. */
export function clientErrorListener(origin: string): (error: ClientError, socket: Socket) => void {
  const fixed = hstsHeaders(origin)
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    if (closeAfterResponses(socket)) return
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
    ['request_timeout', 'The request did not arrive in time. Send it again.'],
  ],
  ['HPE_HEADER_OVERFLOW', ['invalid_header', 'The headers must be at most 16 KB together.']],
])
