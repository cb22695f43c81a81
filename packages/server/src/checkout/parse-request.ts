/** What a browser may send to the checkout's routes, and from where. @module */
import { orderIdError } from '@pi-checkout/contract'
import { ConfigurationError } from '../client/errors.ts'
import { readText } from '../client/read-body.ts'
import { HandoffRejection } from './problem.ts'

export type CheckoutRoute = keyof typeof routeMethods

export const routeMethods = { handoff: 'POST', start: 'POST', status: 'GET' } as const

/** Maximum bytes of a body. */
export const maxHandoffBody = 4096

/**
 * Returns the route of a URL.
 *
 * @param url - Absolute, or a path with or without a query.
 * @returns `undefined` unless the path is `{basePath}/` and the name of a route. A slash after it, as of Next.js with
 * `trailingSlash`, is accepted.
 */
export function routeOf(url: string, basePath: string): CheckoutRoute | undefined {
  const [, path = ''] = /^(?:[a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(url) ?? []
  const prefix = basePath === '/' ? '' : basePath
  const names = Object.keys(routeMethods) as CheckoutRoute[]
  return names.find((name) => path.replace(/\/$/, '') === `${prefix}/${name}`)
}

/** @throws {ConfigurationError} If a value is not a path that a request can have in front of `/handoff`. */
export function assertBasePath(value: string): void {
  if (value === '/') return
  const isPath = typeof value === 'string' && value.startsWith('/') && !value.endsWith('/')
  const origin = 'http://localhost'
  if (isPath && URL.canParse(value, origin) && new URL(value, origin).pathname === value) return
  throw new ConfigurationError(
    'basePath',
    'must be a path such as "/checkout" without a trailing slash. Set the basePath option of createCheckout().',
  )
}

/**
 * Returns the origin of the page, if it is the shop's. `undefined` for a request without an origin.
 *
 * @throws {HandoffRejection} If it is not the shop's.
 */
function readPageOrigin({ headers }: Request, origin: string): string | undefined {
  const sent = headers.get('origin') ?? undefined
  if (sent === undefined || sent === origin) return sent
  // With `Referrer-Policy: no-referrer` browsers hide the origin of a form. Only they send the other header.
  if (sent === 'null' && headers.get('sec-fetch-site') === 'same-origin') return sent
  const fix =
    sent === 'null'
      ? 'A page with Referrer-Policy: no-referrer or in a sandbox hides it: send Referrer-Policy: strict-origin-when-cross-origin'
      : 'Open the page there, or change the option'
  const rule = `origin: must be "${origin}" of the shopOrigin option of createCheckout(). ${fix}.`
  throw new HandoffRejection('origin_not_allowed', rule)
}

export interface Asked {
  /** `undefined` for the current order of the session. */
  readonly orderId?: string | undefined
  /** BCP 47 tag of a form. */
  readonly locale?: string | undefined
}

/**
 * Reads what a page asks for.
 *
 * @param shopOrigin - The origin of the shop's pages.
 * @throws {HandoffRejection} If the request is not from a page of the shop, or is malformed.
 */
export async function readAsked(
  request: Request,
  route: CheckoutRoute,
  shopOrigin: string,
): Promise<Asked> {
  const origin = readPageOrigin(request, shopOrigin)
  const method = routeMethods[route]
  if (request.method !== method) {
    throw new HandoffRejection('method_not_allowed', `method: must be ${method}.`)
  }
  if (route !== 'status') {
    // Another site can post a form with the buyer's cookies, but not with this origin.
    if (origin === undefined) {
      const rule = 'origin: is missing. Browsers send it with each POST request.'
      throw new HandoffRejection('origin_not_allowed', rule)
    }
    return await (route === 'start' ? readForm(request) : readJson(request))
  }
  if (origin === undefined) assertSameOrigin(request)
  return {
    orderId: checkedOrderId(new URL(request.url).searchParams.get('orderId') ?? undefined),
  }
}

/** Browsers send no `Origin` with a GET of the same origin, and none with an address that the buyer opens. */
function assertSameOrigin({ headers }: Request): void {
  const site = headers.get('sec-fetch-site')
  if (site === null || site === 'same-origin' || site === 'none') return
  throw new HandoffRejection(
    'origin_not_allowed',
    'sec-fetch-site: must be "same-origin" for a request without an origin. Another site opened this address.',
  )
}

async function readJson(request: Request): Promise<Asked> {
  const text = await readBody(request, 'application/json')
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw new HandoffRejection('malformed_json')
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new HandoffRejection('malformed_json')
  }
  // Other fields are ignored, such as a token of the shop.
  return { orderId: checkedOrderId(Reflect.get(body, 'orderId')) }
}

async function readForm(request: Request): Promise<Asked> {
  const fields = new URLSearchParams(await readBody(request, 'application/x-www-form-urlencoded'))
  return {
    orderId: checkedOrderId(fields.get('orderId') ?? undefined),
    locale: fields.get('locale')?.slice(0, 64),
  }
}

async function readBody(request: Request, expected: string): Promise<string> {
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';', 1)
  if (type.trim().toLowerCase() !== expected) {
    throw new HandoffRejection('unsupported_media_type', `content-type: must be ${expected}.`)
  }
  if (request.bodyUsed || request.body?.locked) throw new HandoffRejection('body_already_read')
  if (!request.body) return ''
  const text = await readText(request.body, maxHandoffBody).catch((error: unknown) => {
    throw error instanceof HandoffRejection ? error : new HandoffRejection('body_incomplete')
  })
  if (text === undefined) throw new HandoffRejection('payload_too_large')
  return text
}

/** Rejects what no order can have, such as a character that a database does not store. */
function checkedOrderId(orderId: unknown): string | undefined {
  if (orderId === undefined) return undefined
  if (typeof orderId !== 'string' || orderId === '') {
    throw new HandoffRejection('malformed_json', 'orderId: must be a string that is not empty.')
  }
  const error = orderIdError(orderId)
  if (!error) return orderId
  throw new HandoffRejection('order_not_found', `orderId: ${error.detail}.`)
}
