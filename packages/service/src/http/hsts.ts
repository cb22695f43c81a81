/**
 * `Strict-Transport-Security` on every response of a listener whose origin is https.
 *
 * @module
 */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

/** Returns the header for responses under an origin: none unless it is https. */
export function hstsHeaders(origin: string): Readonly<Record<string, string>> {
  return isHttps(origin) ? header : {}
}

/**
 * Returns the option with which `createServer` makes responses that carry the header. It is decided once:
 * under an http origin responses are Node.js's own, and none costs a check.
 */
export function hstsOption(origin: string | undefined): {
  readonly ServerResponse?: typeof ServerResponse
} {
  return origin !== undefined && isHttps(origin) ? { ServerResponse: StrictResponse } : {}
}

const header = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const

function isHttps(origin: string): boolean {
  return origin.startsWith('https://')
}

class StrictResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  // Every head is written in one piece, by `send`.
  override writeHead(status: number, ...rest: unknown[]): this {
    const given = rest.find((each) => typeof each === 'object') as OutgoingHttpHeaders | undefined
    return super.writeHead(status, { ...given, ...header } as Record<string, OutgoingHttpHeader>)
  }
}
