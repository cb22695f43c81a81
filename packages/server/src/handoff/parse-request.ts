/** What a browser may send to the handoff's routes, and from where. @module */
import { ConfigurationError } from '../client/errors.ts'
import { type HandoffCall, maxHandoffBody } from './call.ts'
import type { Awaitable } from './options.ts'
import { HandoffRejection, received } from './problem.ts'

/** The two routes below the base path. */
export type HandoffRoute = 'handoff' | 'status'

/** The method of each route. */
export const routeMethods = { handoff: 'POST', status: 'GET' } as const

/** Default of the option `basePath`. */
export const defaultBasePath = '/checkout'

/**
 * Returns the route of a URL.
 *
 * @param url - Absolute, or a path with or without a query.
 * @returns `undefined` unless the whole path is `{basePath}/handoff` or `{basePath}/status`.
 */
export function routeOf(url: string, basePath: string): HandoffRoute | undefined {
  const [, path = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? []
  const prefix = basePath === '/' ? '' : basePath
  if (path === `${prefix}/handoff`) return 'handoff'
  return path === `${prefix}/status` ? 'status' : undefined
}

/** @throws {ConfigurationError} If a value is not a path that a request can have in front of `/handoff`. */
export function assertBasePath(value: string): void {
  if (value === '/') return
  const isPath = typeof value === 'string' && value.startsWith('/') && !value.endsWith('/')
  const origin = 'http://localhost'
  if (isPath && URL.canParse(value, origin) && new URL(value, origin).pathname === value) return
  throw new ConfigurationError(
    'basePath',
    `must be a path such as "/checkout" without a trailing slash; ${received(String(value))}. Set the basePath option of createHandoff().`,
  )
}

/**
 * Reads the body of `POST …/handoff`.
 *
 * @param origins - Returns the shop's.
 * @returns `orderId`: the requested order; `undefined` for the current order of the session. `origin`: that of the page.
 * @throws {HandoffRejection} If the request is not from a page of the shop, or the body is invalid.
 */
export async function parseHandoffRequest(
  call: HandoffCall,
  origins: () => Awaitable<readonly string[]>,
): Promise<{ readonly orderId: string | undefined; readonly origin: string }> {
  assertMethod(call, routeMethods.handoff)
  // Another site can post a form with the buyer's cookies, but not with this origin.
  const origin = checkOrigin(call.header('origin'), await origins())
  assertSameSite(call)
  const type = call.header('content-type') ?? ''
  if (!/^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i.test(type)) {
    throw new HandoffRejection(
      'unsupported_media_type',
      `content-type: must be application/json; ${received(type)}.`,
    )
  }
  return { orderId: readOrderId(await readBody(call)), origin }
}

/**
 * Reads the query of `GET …/status`.
 *
 * @param origins - Returns the shop's.
 * @returns The requested order, as for `parseHandoffRequest`.
 * @throws {HandoffRejection} If the request is from another site, or not a GET, or the id is empty.
 */
export async function parseStatusRequest(
  call: HandoffCall,
  origins: () => Awaitable<readonly string[]>,
): Promise<string | undefined> {
  assertMethod(call, routeMethods.status)
  // Browsers send no Origin with a same-origin GET.
  const sent = call.header('origin')
  if (sent !== undefined) checkOrigin(sent, await origins())
  assertSameSite(call)
  const [, query = ''] = /\?([^#]*)/.exec(call.url) ?? []
  const orderId = new URLSearchParams(query).get('orderId') ?? undefined
  if (orderId === '') throw new HandoffRejection('malformed_json', 'orderId: must not be empty.')
  return orderId
}

function assertMethod({ method }: HandoffCall, expected: 'GET' | 'POST'): void {
  if (method === expected) return
  throw new HandoffRejection(
    'method_not_allowed',
    `method: must be ${expected}; ${received(method)}.`,
  )
}

function checkOrigin(sent: string | undefined, origins: readonly string[]): string {
  const origin = origins.find((allowed) => allowed === sent)
  if (origin !== undefined) return origin
  const expected = origins.map((allowed) => `"${allowed}"`).join(' or ') || 'an origin'
  throw new HandoffRejection(
    'origin_not_allowed',
    `origin: must be ${expected} of the shopOrigin option of createHandoff(); ${received(sent)}. Open the page there, or change the option.`,
  )
}

function assertSameSite(call: HandoffCall): void {
  const site = call.header('sec-fetch-site')
  if (site === undefined || site === 'same-origin') return
  throw new HandoffRejection(
    'origin_not_allowed',
    `sec-fetch-site: must be "same-origin"; ${received(site)}. The request is from a page of another origin.`,
  )
}

async function readBody(call: HandoffCall): Promise<string> {
  if (Number(call.header('content-length') ?? 0) > maxHandoffBody) {
    throw new HandoffRejection('payload_too_large')
  }
  const text = await call.body()
  if (new TextEncoder().encode(text).byteLength > maxHandoffBody) {
    throw new HandoffRejection('payload_too_large')
  }
  return text
}

function readOrderId(text: string): string | undefined {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new HandoffRejection('malformed_json')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HandoffRejection('malformed_json')
  }
  if (Object.keys(body).some((name) => name !== 'orderId')) {
    throw new HandoffRejection('unknown_parameter')
  }
  const orderId: unknown = 'orderId' in body ? body.orderId : undefined
  if (orderId === undefined) return undefined
  if (typeof orderId !== 'string' || orderId === '') throw new HandoffRejection('malformed_json')
  return orderId
}
