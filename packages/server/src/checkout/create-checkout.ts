/**
 * The routes that give `{ id, clientSecret }` to the page and return what its order's payments mean.
 *
 * Price and owner come from the shop's hooks. No value from a browser becomes an amount.
 *
 * @module
 */
import { checkedOrigin } from '../client/configuration.ts'
import { ConfigurationError } from '../client/errors.ts'
import { checkedMilliseconds } from '../client/options.ts'
import { DueOrders, type ReconcileSummary } from './due-orders.ts'
import { inTime, Late } from './in-time.ts'
import type { CheckoutOptions, FullPage, PaymentUnderReview } from './options.ts'
import { OrderPayments } from './order-payments.ts'
import {
  type Asked,
  assertBasePath,
  type CheckoutRoute,
  defaultBasePath,
  readAsked,
  readPageOrigin,
  routeMethods,
  routeOf,
} from './parse-request.ts'
import type { PaymentState } from './payment-state.ts'
import {
  type HandoffProblemCode,
  HandoffRejection,
  handoffProblems,
  jsonResponse,
  problemResponse,
  publicCode,
} from './problem.ts'
import { Records } from './records.ts'
import { readShopOrigins } from './shop-origins.ts'
import { startPage, startProblemPage } from './start-page.ts'
import { watchForStart } from './watch-for-start.ts'

/**
 * Handles `POST {basePath}/handoff`, `POST {basePath}/start`, and `GET {basePath}/status`. Other paths get a 404. Never
 * rejects.
 *
 * Hono, Next.js, Bun, Deno, and Workers call it with their `Request`. For Express, node:http, and Nest see `toNode`.
 */
export interface Checkout<Context = unknown> {
  (
    request: Request,
    ...context: unknown extends Context ? [context?: unknown] : [context: Context]
  ): Promise<Response>
  /** Path in front of the routes. Adapters pass on every other path. */
  readonly basePath: string
  /**
   * Checks the configuration, as `PaymentIntents.check()` does.
   *
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
   * @throws {PiError} If the service cannot be reached, or rejects the key.
   */
  check(): Promise<void>
  /**
   * Checks the configuration and the store, then calls `reconcile()` immediately and every minute. Call it before the server
   * listens, in each instance. It does not keep the process running, and stores nothing.
   *
   * @param options - `interval`: milliseconds between two runs.
   * @default interval 60000
   * @returns A function that stops it, and resolves when a running call has ended.
   * @throws {PiError} If the service cannot be reached, or rejects the key. Call it again if `retryable` is true.
   * @throws What the store throws, such as for a table that is missing.
   * @example
   * const stop = await checkout.start()
   */
  start(options?: { readonly interval?: number | undefined }): Promise<() => Promise<void>>
  /**
   * Looks at each order that is due, and runs its hooks: for buyers who did not come back, because the service has no
   * webhooks. An order is due after an eighth of the time since its last handoff: a minute to a day. `start()` calls it; on a function platform, call it from a scheduler. A running call is joined.
   *
   * @returns Counts of this run. Errors of single orders are reported to `onError`.
   * @throws {PiError} If the service rejects the key, or cannot be reached five times in a row.
   * @example
   * export const GET = async () => Response.json(await checkout.reconcile())
   */
  reconcile(): Promise<ReconcileSummary>
  /**
   * Checks the payments of an order, and returns what the status route returns: for a page that your server renders. Check
   * first that the buyer may see the order.
   *
   * @throws {PiError} If a payment cannot be checked.
   * @example
   * const { phase } = await checkout.status('A-1001')
   */
  status(orderId: string): Promise<Pick<PaymentState, 'phase' | 'reason'>>
  /**
   * Stores what you decided about a payment. `accepted`: a payment under review becomes the order's payment, and `onPaid`
   * runs. `refunded`: you returned the money, and it pays for nothing; also for a payment that is paid, or whose `onPaid`
   * keeps failing. The specification has no refunds, so refund it where you see the provider's payments.
   *
   * @throws {InvalidParamsError} If the order has no such payment, as after a first decision, or `accepted` while another
   * payment pays for the order.
   * @example
   * await checkout.resolve({ orderId: 'A-1001', intentId }, 'refunded')
   */
  resolve(
    payment: { readonly orderId: string; readonly intentId: string },
    decision: 'accepted' | 'refunded',
  ): Promise<void>
}

/** Milliseconds for the shop's hooks and store, and for the service. The page waits 20 seconds. */
const requestTimeout = 19_000
/** The longest wait between two runs while the service cannot be reached. */
const maxInterval = 5 * 60_000

/**
 * Creates the request handler for the routes below `basePath`. A missing environment variable
 * fails the first request, not the import: `start()` and `check()` find it.
 *
 * @param options - See `CheckoutOptions`.
 * @throws {TypeError} If a hook is missing, `shopOrigin` is not an origin, or uses http on a host other than loopback, or
 * `basePath` is no path.
 * @example
 * const checkout = createCheckout({
 *   intents: new PaymentIntents(),
 *   shopOrigin: 'https://shop.example',
 *   authorize: ({ orderId, context }) => sessions.mayPay(context.session, orderId),
 *   order: (orderId) => orders.find(orderId),
 *   payments: sqlPayments(query),
 *   onPaid: ({ orderId, payment }) => orders.markPaid(orderId, payment),
 * })
 * @see guides/payments.md
 */
export function createCheckout<Context = unknown>(
  options: CheckoutOptions<Context>,
): Checkout<Context> {
  const { basePath = defaultBasePath, intents } = options
  assertBasePath(basePath)
  assertHooks(options)
  const onError = (error: unknown, orderId?: string): void =>
    reportError(options, { error, context: undefined, orderId })
  const { order, onPaid, onReview = logReview } = options
  const records = new Records(options.payments, intents)
  const ledger = { intents, order, records, hooks: { onPaid, onReview, onError } }
  const payments = new OrderPayments(ledger)
  const dueOrders = new DueOrders(ledger)
  const watch = watchForStart(records)
  const origins = readShopOrigins(options.shopOrigin)
  assertFullPage(options.fullPage)
  const logged = { minute: 0, lines: 0 }
  const shop: Shop<Context> = { options, basePath, origins, payments, watch, logged }
  const check = async (): Promise<void> => {
    intents.scope()
    await intents.check()
  }
  const members: Pick<Checkout, keyof Checkout> = {
    basePath,
    check,
    start: async ({ interval = 60_000 } = {}) => {
      checkedMilliseconds('interval', interval)
      await check()
      // Finds a missing table and a wrong dialect.
      await records.due(Date.now(), 1)
      watch.end()
      return repeat((signal) => dueOrders.reconcile(signal), { interval, onError })
    },
    reconcile: () => {
      watch.end()
      return dueOrders.reconcile()
    },
    status: async (orderId) => {
      const { phase, reason } = await payments.state(orderId)
      return { phase, reason }
    },
    resolve: (payment, decision) => payments.resolve(payment, decision),
  }
  const handle = (request: Request, context?: Context): Promise<Response> =>
    respond(shop, request, context as Context)
  // The type requires a context exactly if the hook needs one.
  return Object.assign(handle, members) as Checkout<Context>
}

/** Calls a function now and after each interval, later each time while it fails. Returns a function that stops it. */
function repeat(
  call: (signal: AbortSignal) => Promise<unknown>,
  { interval, onError }: { readonly interval: number; readonly onError: (error: unknown) => void },
): () => Promise<void> {
  const stopping = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = interval
  const run = async (): Promise<void> => {
    try {
      await call(stopping.signal)
      wait = interval
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
      wait = Math.max(interval, Math.min(wait * 2, maxInterval))
    }
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      running = run()
    }, wait)
    // Browsers and some function platforms have numbers instead of timers.
    if (typeof timer === 'object') timer.unref()
  }
  let running = run()
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await running
  }
}

interface Shop<Context> {
  readonly options: CheckoutOptions<Context>
  readonly basePath: string
  readonly origins: readonly string[]
  readonly payments: OrderPayments
  readonly watch: { readonly seeHandoff: () => Promise<void> }
  /** Lines about rejected requests in a minute. */
  readonly logged: { minute: number; lines: number }
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

async function respond<Context>(
  shop: Shop<Context>,
  request: Request,
  context: Context,
): Promise<Response> {
  const route = routeOf(request.url, shop.basePath)
  const { fullPage } = shop.options
  if (!route || (route === 'start' && !fullPage)) return problemResponse('not_found')
  const sent: PageRequest<Context> = { route, asked: {}, request, context }
  const response = await respondTo(shop, sent).catch((error: unknown) =>
    problemOf(error, shop, sent),
  )
  response.headers.append('vary', 'Origin')
  const origin = request.headers.get('origin')
  // Its page may read the response, also if the routes have another origin.
  if (origin && shop.origins.includes(origin)) {
    response.headers.set('access-control-allow-origin', origin)
    response.headers.set('access-control-allow-credentials', 'true')
  }
  return response
}

async function respondTo<Context>(
  shop: Shop<Context>,
  sent: PageRequest<Context>,
): Promise<Response> {
  const { route, request } = sent
  const origin = readPageOrigin(request, shop.origins)
  if (request.method === 'OPTIONS' && origin !== undefined) return preflightResponse(route)
  sent.asked = await readAsked(request, route, origin)
  const event = 'authorize, order, onPaid, or the store did not return'
  return await inTime(answer(shop, sent), { ms: requestTimeout, event })
}

/** Answers a request that was read. */
async function answer<Context>(
  { options, origins, payments, watch }: Shop<Context>,
  sent: PageRequest<Context>,
): Promise<Response> {
  const { route, request, context } = sent
  const { orderId: asked } = sent.asked
  const orderId: unknown = await options.authorize({ orderId: asked, request, context })
  if (orderId === undefined || orderId === null || orderId === '') {
    throw new HandoffRejection('order_not_found', 'authorize: the hook returned no order.')
  }
  if (typeof orderId !== 'string') {
    throw new TypeError('authorize: the hook must return the id of the order, or undefined.')
  }
  sent.orderId = orderId
  if (route === 'status') {
    const { phase, reason } = await payments.state(orderId)
    return jsonResponse({ phase, reason })
  }
  await watch.seeHandoff()
  const { fullPage } = options
  if (route === 'start' && fullPage) {
    const returnUrl = returnUrlOf(fullPage, orderId, origins)
    sent.asked = { ...sent.asked, returnUrl }
    const { checkoutOrigin } = fullPage
    const appearance = JSON.stringify(fullPage.appearance)
    const hosted = { checkoutOrigin, returnUrl, locale: localeOf(sent), appearance }
    return startPage(await payments.handoff(orderId), hosted)
  }
  const { id, clientSecret } = await payments.handoff(orderId)
  // Exactly the two values.
  return jsonResponse({ id, clientSecret })
}

async function problemOf<Context>(
  error: unknown,
  { options, basePath, logged }: Shop<Context>,
  sent: PageRequest<Context>,
): Promise<Response> {
  const { route, request, context, orderId } = sent
  const about = { error, context, orderId }
  if (error instanceof Late) {
    reportError(options, about)
    return await problemFor('payment_unavailable', sent)
  }
  if (!(error instanceof HandoffRejection)) {
    reportError(options, about)
    return await problemFor(publicCode(error), sent)
  }
  const { code, status, message } = error
  error.requestId = request.headers.get('x-request-id')?.slice(0, 128)
  // A client that disconnects is no error of the shop or its page.
  if (code !== 'body_incomplete') {
    const path = `${basePath === '/' ? '' : basePath}/${route}`
    const id = error.requestId ? `, X-Request-Id ${JSON.stringify(error.requestId)}` : ''
    const line = `${path} returned ${status} ${code}${id}: ${message}`
    reportError(options, about, limited(line, logged))
  }
  return await problemFor(code, sent)
}

/** Returns a problem for the page's script, or a page for the buyer. */
async function problemFor<Context>(
  code: HandoffProblemCode,
  sent: PageRequest<Context>,
): Promise<Response> {
  const { route, asked } = sent
  if (route === 'start') {
    const { returnUrl } = asked
    // The order's page shows why it cannot be paid.
    if (returnUrl && handoffProblems[code].status === 409) return redirectResponse(returnUrl)
    return startProblemPage(code, { ...asked, locale: localeOf(sent) })
  }
  return problemResponse(code, code === 'method_not_allowed' ? routeMethods[route] : undefined)
}

function redirectResponse(location: string): Response {
  return new Response(null, { status: 303, headers: { location, 'cache-control': 'no-store' } })
}

function localeOf<Context>({ asked, request }: PageRequest<Context>): string {
  const [accepted = ''] = request.headers.get('accept-language')?.split(/[,;]/, 1) ?? []
  return asked.locale ?? accepted.trim().slice(0, 64)
}

/** @throws {TypeError} If the page would not return to the shop. */
function returnUrlOf({ returnUrl }: FullPage, orderId: string, origins: readonly string[]): string {
  const address = returnUrl(orderId)
  if (URL.canParse(address) && origins.includes(new URL(address).origin)) return address
  throw new TypeError('fullPage.returnUrl: must return an address on shopOrigin.')
}

/** Permits the request that a page of another origin is about to send. */
function preflightResponse(route: CheckoutRoute): Response {
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': routeMethods[route],
      'access-control-allow-headers': 'content-type',
      'access-control-max-age': '600',
    },
  })
}

/** Returns a line for the log, or an empty one. A client can send as many requests as it likes. */
function limited(line: string, logged: Shop<never>['logged']): string {
  const minute = Math.floor(Date.now() / 60_000)
  if (minute !== logged.minute) Object.assign(logged, { minute, lines: 0 })
  logged.lines++
  if (logged.lines === maxLines)
    return `${line} The rejections after it in this minute have no line.`
  return logged.lines < maxLines ? line : ''
}

const maxLines = 60

/** @param line - Replaces the error in the log. */
function reportError<Context>(
  { onError }: Pick<CheckoutOptions<Context>, 'onError'>,
  about: Parameters<NonNullable<CheckoutOptions<Context>['onError']>>[0],
  line?: string,
): void {
  if (!onError) {
    if (line === '') return
    // biome-ignore lint/suspicious/noConsole: otherwise the shop would not see the cause.
    console.error('pi-checkout:', line ?? about.error)
    return
  }
  // An error of the listener, also a later one, must not change the response.
  const call = async (): Promise<void> => onError(about)
  call().catch(() => {})
}

function logReview({ orderId, payment, reason }: PaymentUnderReview): void {
  const { amount, currency, intentId } = payment
  const text = `payment ${intentId} of ${amount} ${currency} for order ${JSON.stringify(orderId)} needs a review: ${reason}. Accept or refund it with resolve().`
  // biome-ignore lint/suspicious/noConsole: otherwise the shop would keep money that pays for nothing.
  console.error('pi-checkout:', text)
}

function assertFullPage(fullPage: FullPage | undefined): void {
  if (fullPage === undefined) return
  const { checkoutOrigin, returnUrl } = fullPage
  checkedOrigin(checkoutOrigin, { name: 'fullPage.checkoutOrigin', of: 'createCheckout()' })
  if (typeof returnUrl === 'function') return
  throw new ConfigurationError('fullPage.returnUrl', 'must be a function of the order id.')
}

function assertHooks(options: object): void {
  for (const name of ['authorize', 'order', 'onPaid']) {
    if (typeof Reflect.get(options, name) === 'function') continue
    throw new ConfigurationError(name, 'must be a function. Pass it to createCheckout().')
  }
  const store: unknown = Reflect.get(options, 'payments')
  const missing = ['load', 'save', 'due'].find(
    (name) => typeof Reflect.get(Object(store), name) !== 'function',
  )
  if (missing === undefined) return
  const rule = `must be a store with load, save, and due, such as sqlPayments(query); it has no ${missing}.`
  throw new ConfigurationError('payments', rule)
}
