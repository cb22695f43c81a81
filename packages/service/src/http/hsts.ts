/** Adds `Strict-Transport-Security` to each response of a server whose origin is https. @module */
import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

export function hstsHeaders(origin: string): Readonly<Record<string, string>> {
  return isHttps(origin) ? header : {}
}

/** For an http origin there is no option, so that responses need no check. */
export function hstsOption(origin: string): {
  readonly ServerResponse?: typeof ServerResponse
} {
  return isHttps(origin) ? { ServerResponse: StrictResponse } : {}
}

const header = { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } as const

function isHttps(origin: string): boolean {
  return origin.startsWith('https://')
}

class StrictResponse<Request extends IncomingMessage> extends ServerResponse<Request> {
  // `send` passes all headers to `writeHead`.
  override writeHead(status: number, ...rest: unknown[]): this {
    const headers = rest.find((each) => typeof each === 'object') as OutgoingHttpHeaders | undefined
    return super.writeHead(status, { ...headers, ...header } as Record<string, OutgoingHttpHeader>)
  }
}
