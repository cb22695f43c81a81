/** Responses that handlers return as data, and the function that writes them. @module */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { headers as names, ownProfileName } from '@pi-checkout/contract'
import type { Call } from './call.ts'

export interface RouteResponse {
  readonly status: number
  /** Constant headers, such as `jsonHeaders`. */
  readonly base: Readonly<Record<string, string>>
  /** Headers of this response. They override `base`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Text, bytes, or a function that writes and ends the body. */
  readonly body?: string | Buffer | ((out: Writable) => void | Promise<void>)
}

export type Handler = (call: Call) => Promise<RouteResponse> | RouteResponse

/** Thrown by a fault rule to close the connection without a response. */
export class ConnectionDropped extends Error {
  override readonly name = 'ConnectionDropped'
}

/** Headers of JSON responses, which browsers must not render, store, or embed. */
export const jsonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  // The client knows the names and statuses of this service by it.
  [names.profile]: ownProfileName,
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

const nosniff = { 'x-content-type-options': 'nosniff' } as const

export function json(body: object, status = 200): RouteResponse {
  return { status, base: jsonHeaders, body: JSON.stringify(body) }
}

export function page(
  base: Readonly<Record<string, string>>,
  body: string,
): RouteResponse & { readonly body: string } {
  return { status: 200, base, headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}

export function noContent(): RouteResponse {
  return { status: 204, base: nosniff }
}

/** Returns a redirect to a path of the same origin. Not a permanent one: other programs use the port later. */
export function redirect(location: string): RouteResponse {
  return { status: 303, base: nosniff, headers: { location } }
}

/** Sends a response. All headers go to `writeHead`, which is faster than `setHeader` for each. */
export function send(
  call: Call,
  { status, base, headers, body }: RouteResponse,
): void | Promise<void> {
  const { request, response, requestId } = call
  if (response.destroyed) return
  call.sentHeaders = headers
  if (typeof body === 'function') {
    response.writeHead(status, { ...base, ...headers, [names.requestId]: requestId })
    if (request.method !== 'HEAD') return body(response)
    response.end()
    return
  }
  const head: OutgoingHttpHeaders = { ...base, [names.requestId]: requestId, ...headers }
  if (hasBody(status)) head['content-length'] = Buffer.byteLength(body ?? '')
  response.writeHead(status, head)
  if (request.method === 'HEAD') {
    response.end()
    return
  }
  if (typeof body === 'string') call.sentBody = body
  response.end(body)
}

/** Returns whether a response with this status may have a body. @see RFC 9110, §8.6 */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 304
}
