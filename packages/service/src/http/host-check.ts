/**
 * Rejects requests under an unknown host name: a web page may point its own name at loopback.
 *
 * @module
 */
import type { Call } from './call.ts'
import { ProblemError } from './problem.ts'

/**
 * Returns the check for a listener: it accepts the listener's own names.
 *
 * @param url - The origin that browsers use for this listener; its host may be a `*.localhost` name.
 */
export function hostCheck(url: string): (call: Call) => void {
  const publicHost = new URL(url).host
  return ({ request }) => {
    const host = request.headers.host ?? ''
    const port = request.socket.localPort
    if (host === publicHost || loopbackNames.some((name) => host === `${name}:${port}`)) return
    throw new ProblemError(
      'invalid_host',
      'The Host header does not name this service; use its own address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
    )
  }
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
