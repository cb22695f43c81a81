/**
 * Refuses requests that a foreign host name led here: a web page may point its own name at loopback.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { ProblemError } from './problem.ts'

/**
 * Lets through the listener's own names.
 *
 * @param url The origin that browsers use for this listener; its host may be a `*.localhost` name.
 */
export function hostCheck(url: string): RequestHandler {
  const own = new URL(url).host
  return (request, _response, next) => {
    const host = request.headers.host ?? ''
    const port = request.socket.localPort
    const loopback = ['127.0.0.1', 'localhost', '[::1]'].some((name) => host === `${name}:${port}`)
    if (host === own || loopback) return next()
    next(
      new ProblemError(
        'invalid_host',
        'The Host header does not name this service; use its own address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
      ),
    )
  }
}
