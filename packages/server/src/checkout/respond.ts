/** Responds to the requests of pages. @module */
import type { DueOrders } from './due-orders.ts'
import type { Ledger } from './look-at-order.ts'
import type { CheckoutOptions, FullPage } from './options.ts'
import { handOut, readStatus } from './order-payments.ts'
import {
  type Asked,
  type CheckoutRoute,
  readAsked,
  routeMethods,
  routeOf,
} from './parse-request.ts'
import {
  type HandoffProblemCode,
  HandoffRejection,
  handoffProblems,
  jsonResponse,
  problemResponse,
  publicCode,
} from './problem.ts'
import type { Report } from './report.ts'
import { callShop, inTime } from './shop-error.ts'
import { startPage, startProblemPage } from './start-page.ts'

/** Milliseconds for the shop's hooks and store, and for the service. The page waits 20 seconds. */
const requestTimeout = 19_000

export interface Shop<Context> {
  readonly options: CheckoutOptions<Context>
  readonly basePath: string
  readonly origin: string
  readonly ledger: Ledger
  readonly dueOrders: DueOrders
  readonly report: Report<Context>
}

interface PageRequest<Context> {
  readonly route: CheckoutRoute
  /** What the page asked for, and its way back, as far as they are known. */
  asked: Asked & { readonly returnUrl?: string }
  /** As `authorize` returned it. */
  orderId?: string
  readonly request: Request
  readonly context: Context
}

export async function respond<Context>(
  shop: Shop<Context>,
  request: Request,
  context: Context,
): Promise<Response> {
  const route = routeOf(request.url, shop.basePath)
  const { fullPage } = shop.options
  if (!route || (route === 'start' && !fullPage)) return problemResponse('not_found')
  const sent: PageRequest<Context> = { route, asked: {}, request, context }
  try {
    sent.asked = await readAsked(request, route, shop.origin)
    const event = 'authorize, order, onPaid, or the store did not return'
    return await inTime(answer(shop, sent), { ms: requestTimeout, event })
  } catch (error) {
    // A client that disconnects is no error of the shop or its page.
    const hasLeft = error instanceof HandoffRejection && error.code === 'body_incomplete'
    if (!hasLeft) shop.report({ error, context, orderId: sent.orderId })
    return problemFor(publicCode(error), sent)
  }
}

/** Answers a request that was read. */
async function answer<Context>(
  { options, origin, ledger, dueOrders }: Shop<Context>,
  sent: PageRequest<Context>,
): Promise<Response> {
  const { route, request, context } = sent
  const { orderId: asked } = sent.asked
  const query = { orderId: asked, request, context }
  const orderId: unknown = await callShop('authorize: the hook failed', () =>
    options.authorize(query),
  )
  if (orderId === undefined || orderId === null || orderId === '') {
    throw new HandoffRejection('order_not_found', 'authorize: the hook returned no order.')
  }
  if (typeof orderId !== 'string') {
    throw new TypeError('authorize: the hook must return the id of the order, or undefined.')
  }
  sent.orderId = orderId
  if (route === 'status') return jsonResponse({ ...(await readStatus(ledger, orderId)), orderId })
  await dueOrders.warnIfForgotten()
  const { fullPage } = options
  if (route === 'start' && fullPage) {
    const returnUrl = returnUrlOf(fullPage, orderId, origin)
    sent.asked = { ...sent.asked, returnUrl }
    const { checkoutOrigin } = fullPage
    const appearance = JSON.stringify(fullPage.appearance)
    const hosted = { checkoutOrigin, returnUrl, locale: localeOf(sent), appearance }
    return startPage(await handOut(ledger, orderId), hosted)
  }
  const { id, clientSecret } = await handOut(ledger, orderId)
  // Exactly the two values, and the order's id.
  return jsonResponse({ id, clientSecret, orderId })
}

/** Returns a problem for the page's script, or a page for the buyer. */
function problemFor<Context>(code: HandoffProblemCode, sent: PageRequest<Context>): Response {
  const { route, asked } = sent
  if (route === 'start') {
    const { returnUrl } = asked
    // The order's page shows why it cannot be paid.
    if (returnUrl && handoffProblems[code].status === 409) {
      const headers = { location: returnUrl, 'cache-control': 'no-store' }
      return new Response(null, { status: 303, headers })
    }
    return startProblemPage(code, { ...asked, locale: localeOf(sent) })
  }
  const allow = code === 'method_not_allowed' ? routeMethods[route] : undefined
  return problemResponse(code, {
    allow,
    orderId: handoffProblems[code].status === 409 ? sent.orderId : undefined,
  })
}

function localeOf<Context>({ asked, request }: PageRequest<Context>): string {
  const [accepted = ''] = request.headers.get('accept-language')?.split(/[,;]/, 1) ?? []
  return asked.locale ?? accepted.trim().slice(0, 64)
}

/**
 * Returns the address in ASCII, as a header needs it.
 *
 * @throws {TypeError} If the page would not return to the shop.
 */
function returnUrlOf({ returnUrl }: FullPage, orderId: string, origin: string): string {
  const address = returnUrl(orderId)
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.origin === origin) return url.href
  throw new TypeError('fullPage.returnUrl: must return an address on shopOrigin.')
}
