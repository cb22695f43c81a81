/**
 * What HTTP itself asks of a request, and Node would refuse with a bare status: refused as everything
 * else is, with a problem and every header that an answer has.
 *
 * @module
 */
import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { ProblemError, sendProblem } from './problem.ts'

/** For `createServer`: `needHost` asks for the header instead. */
export const hostOption = { requireHostHeader: false } as const

/** Lets through what names its host, as HTTP/1.1 must. @see RFC 9112 §3.2 */
export function needHost(log: Logger, listener: RequestListener): RequestListener {
  return (request, response) => {
    if (request.headers.host !== undefined || request.httpVersion === '1.0') {
      listener(request, response)
      return
    }
    const error = new ProblemError('invalid_header', 'Host is missing; send it once.')
    sendProblem(request, response, { error, log })
  }
}

/** Listens to a server's `checkExpectation`: for what is neither unset nor `100-continue`. */
export function refuseExpectation(log: Logger): RequestListener {
  return (request, response) => {
    const error = new ProblemError('invalid_header', 'Expect must be 100-continue, or left out.')
    sendProblem(request, response, { error, log })
  }
}
