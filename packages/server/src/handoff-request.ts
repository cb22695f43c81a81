/**
 * What a browser may send to the handoff's routes, and from where.
 *
 * @module
 */
import { HandoffRefusal } from './handoff-problem.ts'
import { knownBody } from './known-body.ts'
import { readText } from './read-text.ts'

/** Bytes of a handoff's body. */
export const maxHandoffBody = 4096

/** Tells which of the two routes a path ends in. */
export function routeOf({ url }: { readonly url: string }): 'handoff' | 'status' | undefined {
  const path = url.replace(/[?#].*$/s, '')
  const last = path.slice(path.lastIndexOf('/') + 1)
  return last === 'handoff' || last === 'status' ? last : undefined
}

/**
 * Reads the body of `POST …/handoff`.
 *
 * @returns The order that the page asks for, or `undefined` for the session's current one.
 * @throws {HandoffRefusal} It does not come from the shop's own page, or is more than it may be.
 */
export async function readHandoffRequest(
  request: Request,
  origin: string,
): Promise<string | undefined> {
  if (request.method !== 'POST') throw new HandoffRefusal('method_not_allowed', 'POST')
  // A form or an image of another site can post with the buyer's cookies, but not with this origin.
  if (request.headers.get('origin') !== origin) throw new HandoffRefusal('origin_not_allowed')
  refuseOtherSites(request)
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i.test(type)) {
    throw new HandoffRefusal('unsupported_media_type')
  }
  return readOrderId(await readBody(request))
}

/**
 * Reads the query of `GET …/status`.
 *
 * @throws {HandoffRefusal} It comes from another site, or is no GET.
 */
export function readStatusRequest(request: Request, origin: string): string | undefined {
  if (request.method !== 'GET') throw new HandoffRefusal('method_not_allowed', 'GET')
  // Browsers send no Origin with a GET to their own; when there is one, it must be ours.
  const sent = request.headers.get('origin')
  if (sent !== null && sent !== origin) throw new HandoffRefusal('origin_not_allowed')
  refuseOtherSites(request)
  return new URL(request.url).searchParams.get('orderId') ?? undefined
}

function refuseOtherSites(request: Request): void {
  const site = request.headers.get('sec-fetch-site')
  if (site !== null && site !== 'same-origin') throw new HandoffRefusal('origin_not_allowed')
}

async function readBody(request: Request): Promise<string> {
  if (request.bodyUsed) throw new HandoffRefusal('body_already_read')
  if (Number(request.headers.get('content-length') ?? 0) > maxHandoffBody) {
    throw new HandoffRefusal('payload_too_large')
  }
  const known = knownBody(request)
  if (typeof known === 'object') throw new HandoffRefusal(known.code)
  if (known !== undefined) {
    if (sizeOf(known) > maxHandoffBody) throw new HandoffRefusal('payload_too_large')
    return known
  }
  const text = request.body ? await readStream(request.body) : ''
  if (text === undefined) throw new HandoffRefusal('payload_too_large')
  return text
}

async function readStream(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  try {
    return await readText(body, maxHandoffBody)
  } catch {
    throw new HandoffRefusal('body_incomplete')
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
    throw new HandoffRefusal('malformed_json')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HandoffRefusal('malformed_json')
  }
  if (Object.keys(body).some((name) => name !== 'orderId')) {
    throw new HandoffRefusal('unknown_parameter')
  }
  const orderId: unknown = 'orderId' in body ? body.orderId : undefined
  if (orderId === undefined) return undefined
  if (typeof orderId !== 'string' || orderId === '') throw new HandoffRefusal('malformed_json')
  return orderId
}
