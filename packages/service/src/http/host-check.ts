/** Rejects requests for an unknown host name. A website can point its name at loopback (DNS rebinding). @module */
import type { Check } from './audience.ts'
import { ProblemError } from './problem.ts'

/** Accepts the host of `url`, and loopback names, with or without the default port. @see RFC 9110, §4.2.3 */
export function hostCheck(url: string): Check {
  const { host: publicHost, port: publicPort, protocol } = new URL(url)
  const withPort = publicPort === '' ? `${publicHost}:${defaultPorts[protocol]}` : publicHost
  return ({ headers, socket }) => {
    const host = headers.host?.toLowerCase() ?? ''
    if (host === publicHost || host === withPort) return
    const port = socket.localPort
    if (loopbackNames.some((name) => host === `${name}:${port}`)) return
    throw new ProblemError(
      'invalid_host',
      'The Host header does not name this service. Use its address, or set PI_PUBLIC_URL and PI_CHALLENGE_URL.',
    )
  }
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']
const defaultPorts: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }
