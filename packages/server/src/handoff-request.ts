/**
 * What a browser may send to the handoff's routes, and from where.
 *
 * @module
 */
import { HandoffRejection, received } from './handoff-problem.ts'
import { knownBody } from './known-body.ts'
import { readText } from './read-text.ts'

/** Bytes of a handoff's body. */
export const maxHandoffBody = 4096

/** The two routes, as they follow the base path. */
export type HandoffRoute = 'handoff' | 'status'

/** The method that each route takes. */
export const routeMethods = { handoff: 'POST', status: 'GET' } as const

/** Where the routes are unless the shop says otherwise. */
export const defaultBasePath = '/checkout'

/**
 * Tells which of the two routes a URL asks for.
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

/**
 * Checks a base path.
 *
 * @throws {TypeError} If it is not a path that a request can have in front of `/handoff`.
 */
export function checkedBasePath(value: string): string {
  if (value === '/') return value
  const plain = typeof value === 'string' && value.startsWith('/') && !value.endsWith('/')
  const origin = 'http://localhost'
  if (plain && URL.canParse(value, origin) && new URL(value, origin).pathname === value) {
    return value
  }
  throw new TypeError(
    `basePath: must be a path such as "/checkout", without a slash at its end; ${received(String(value))}. Set the basePath option of createHandoff().`,
  )
}

/**
 * Reads the body of `POST …/handoff`.
 *
 * @returns The order that the page asks for, or `undefined` for the session's current one.
 * @throws {HandoffRejection} It does not come from the shop's own page, or is more than it may be.
 */
export async function readHandoffRequest(
  request: Request,
  origin: string,
): Promise<string | undefined> {
  checkMethod(request, routeMethods.handoff)
  // A form or an image of another site can post with the buyer's cookies, but not with this origin.
  const sent = request.headers.get('origin')
  if (sent !== origin) throw otherOrigin(sent, origin)
  refuseOtherSites(request)
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i.test(type)) {
    throw new HandoffRejection(
      'unsupported_media_type',
      `content-type: must be application/json; ${received(type)}.`,
    )
  }
  return readOrderId(await readBody(request))
}

/**
 * Reads the query of `GET …/status`.
 *
 * @throws {HandoffRejection} It comes from another site, or is no GET.
 */
export function readStatusRequest(request: Request, origin: string): string | undefined {
  checkMethod(request, routeMethods.status)
  // Browsers send no Origin with a GET to their own; when there is one, it must be ours.
  const sent = request.headers.get('origin')
  if (sent !== null && sent !== origin) throw otherOrigin(sent, origin)
  refuseOtherSites(request)
  return new URL(request.url).searchParams.get('orderId') ?? undefined
}

function checkMethod({ method }: Request, expected: 'GET' | 'POST'): void {
  if (method === expected) return
  throw new HandoffRejection(
    'method_not_allowed',
    `method: must be ${expected}; ${received(method)}.`,
  )
}

function otherOrigin(sent: string | null, origin: string): HandoffRejection {
  return new HandoffRejection(
    'origin_not_allowed',
    `origin: must be "${origin}", the origin option of createHandoff(); ${received(sent)}. Open the page at that origin, or change the option.`,
  )
}

function refuseOtherSites(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin') return
  throw new HandoffRejection(
    'origin_not_allowed',
    `sec-fetch-site: must be "same-origin"; ${received(site)}. The request came from a page of another origin.`,
  )
}

async function readBody(request: Request): Promise<string> {
  if (request.bodyUsed) throw new HandoffRejection('body_already_read')
  if (Number(request.headers.get('content-length') ?? 0) > maxHandoffBody) {
    throw new HandoffRejection('payload_too_large')
  }
  const known = knownBody(request)
  if (typeof known === 'object') throw new HandoffRejection(known.code)
  if (known !== undefined) {
    if (sizeOf(known) > maxHandoffBody) throw new HandoffRejection('payload_too_large')
    return known
  }
  const text = request.body ? await readStream(request.body) : ''
  if (text === undefined) throw new HandoffRejection('payload_too_large')
  return text
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  try {
    return await readText(body, maxHandoffBody)
  } catch {
    throw new HandoffRejection('body_incomplete')
  }
}

/** In bytes; of a text that is short however it is written, an upper bound is good enough. */
function sizeOf(text: string): number {
  const most = text.length * 3
  return most <= maxHandoffBody ? most : new TextEncoder().encode(text).byteLength
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
