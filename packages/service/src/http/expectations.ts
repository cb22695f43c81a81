/**
 * What HTTP/1.1 itself asks of a request, and Node.js would accept or reject with a bare status: rejected
 * with a problem and every header that a response has.
 *
 * @module
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import { onlyHeader } from './only-header.ts'
import { ProblemError, sendProblem } from './problem.ts'

/** For `createServer`: `wellFormed` asks for the header instead. */
export const hostOption = { requireHostHeader: false } as const

/** Lets through what is well-formed HTTP/1.1, with the path alone as its address. */
export function wellFormed(log: Logger, listener: RequestListener): RequestListener {
  return (request, response) => {
    try {
      checkHost(request)
      checkTransferEncoding(request)
    } catch (error) {
      sendProblem(request, response, { error, log })
      return
    }
    listener(request, response)
  }
}

/** Reads the host of a request once and for all. @see RFC 9112, §3.2 */
function checkHost(request: IncomingMessage): void {
  const { headers, httpVersion, url = '' } = request
  const host = onlyHeader(request, 'host')
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

/** Listens to a server's `checkExpectation`: for what is neither unset nor `100-continue`. */
export function refuseExpectation(log: Logger): RequestListener {
  return (request, response) => {
    const error = new ProblemError('invalid_header', 'Expect must be 100-continue, or left out.')
    sendProblem(request, response, { error, log })
  }
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
