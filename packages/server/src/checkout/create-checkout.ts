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
import type { CheckoutOptions, FullPage } from './options.ts'
import { readStatus, resolve } from './order-payments.ts'
import { assertBasePath } from './parse-request.ts'
import type { Payment } from './payment-record.ts'
import type { PaymentState } from './payment-state.ts'
import { Records } from './records.ts'
import { logReview, reporterOf } from './report.ts'
import { respond, type Shop } from './respond.ts'

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
   * Checks the configuration and the store, then calls `reconcile()` immediately and every minute. Call it before the server
   * listens, in each instance. It does not keep the process running, and stores nothing.
   *
   * @param options - `interval`: milliseconds between two runs.
   * @default interval 60000
   * @returns A function that stops it, and resolves when a running call has ended: after up to 10 seconds if the service does
   * not respond.
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
   * @throws {PiError} If the service cannot be reached, or rejects the key. Call it again if `retryable` is true.
   * @throws {Error} If the store fails, with `retryable: true`: its database may be down, or the table is missing.
   * @example
   * const stop = await checkout.start()
   */
  start(options?: { readonly interval?: number | undefined }): Promise<() => Promise<void>>
  /**
   * Looks at each order that is due, and runs its hooks: for buyers who did not come back, because the service has no
   * webhooks. An order is due after an eighth of the time since its last handoff: at least a minute, and for 90 days at most
   * a day. `start()` calls it; on a function platform, call it from a scheduler. A running call is joined.
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
   * @throws {HandoffRejection} `order_not_found` if `order` returns none and nothing was paid for it; `payment_unavailable` if
   * a payment cannot be checked.
   * @throws {Error} If a hook or the store fails, with `retryable: true`.
   * @example
   * const { phase } = await checkout.status('A-1001')
   */
  status(orderId: string): Promise<Pick<PaymentState, 'phase' | 'reason'>>
  /**
   * Returns the stored payments of an order, in the order of their creation, for pages of your staff. It asks neither the
   * service nor your hooks.
   *
   * @throws {TypeError} If the store returned another text than it was given.
   * @throws {Error} If the store fails, with `retryable: true`.
   * @example
   * const underReview = (await checkout.payments('A-1001')).filter(({ state }) => state === 'review')
   */
  payments(orderId: string): Promise<readonly Payment[]>
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
  const { basePath = '/checkout', intents } = options
  assertBasePath(basePath)
  assertHooks(options)
  const report = reporterOf(options)
  const onError = (error: unknown, orderId?: string): void =>
    report({ error, context: undefined, orderId })
  const { order, onPaid, onReview = logReview } = options
  const records = new Records(options.payments, intents)
  const ledger = { intents, order, records, hooks: { onPaid, onReview, onError } }
  const dueOrders = new DueOrders(ledger)
  const origin = checkedOrigin(options.shopOrigin, {
    name: 'shopOrigin',
    of: 'createCheckout()',
  })
  assertFullPage(options.fullPage)
  const shop: Shop<Context> = { options, basePath, origin, ledger, dueOrders, report }
  const members: Pick<Checkout, keyof Checkout> = {
    basePath,
    start: async ({ interval = 60_000 } = {}) => {
      checkedMilliseconds('interval', interval)
      await intents.check()
      // Finds a missing table, a wrong dialect, and a missing namespace.
      await records.due(Date.now(), 1)
      return dueOrders.start(interval)
    },
    reconcile: () => dueOrders.reconcile(),
    status: (orderId) => readStatus(ledger, orderId),
    payments: async (orderId) => (await records.load(orderId)).payments,
    resolve: (payment, decision) => resolve(ledger, payment, decision),
  }
  const handle = (request: Request, context?: Context): Promise<Response> =>
    respond(shop, request, context as Context)
  // The type requires a context exactly if the hook needs one.
  return Object.assign(handle, members) as Checkout<Context>
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
