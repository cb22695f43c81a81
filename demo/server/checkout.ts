/**
 * The integration on the server, from the page's policy to the paid order. `pages/checkout.ts` is the other half.
 *
 * 1. The pages may frame the hosted checkout.
 * 2. The handoff: what an order costs, and what happens when its payment has ended.
 * 3. Reconcile: payments of buyers who did not return.
 *
 * @module
 */
import {
  createHandoff,
  cspFor,
  HandoffRejection,
  type OrderQuery,
  type PaymentIntent,
  type PaymentIntents,
  PiError,
  type ReconcileReport,
} from '@pi-checkout/server'
import type { Request } from 'express'
import type { Database } from './database.ts'
import {
  type PayableOrder,
  setIntent,
  storeVerdict,
  unsettledIntents,
  type Verdict,
} from './order-intents.ts'
import {
  describeLines,
  findOrder,
  isPayable,
  orderLines,
  ownedOrder,
  unpaidOrder,
} from './orders.ts'
import { log, logFailure } from './problem.ts'
import type { Shop } from './shop.ts'

/** Returns `Content-Security-Policy` of each page: it may frame the hosted checkout, and nothing else. */
export function pagePolicy(checkoutOrigin: string): string {
  return cspFor({ checkoutOrigin, reportTo: 'csp' })
}

/** Creates the handler of `POST /checkout/handoff` and `GET /checkout/status`. */
export function shopCheckout({
  db,
  sessions,
  intents,
  shopOrigin,
}: Pick<Shop, 'db' | 'sessions' | 'shopOrigin'> & {
  readonly intents: PaymentIntents
}): Shop['checkout'] {
  return createHandoff({
    intents,
    shopOrigin,
    session: ({ context }) => sessions.of(context),
    order: ({ orderId, context: req }: OrderQuery<Request>): PayableOrder | undefined => {
      const session = sessions.of(req)
      if (session === undefined || orderId === undefined) return undefined
      const order = ownedOrder(db, { session, orderId })
      if (!order) return undefined
      // The page then shows the order or the cart instead of a form. Its status remains available.
      if (req.method === 'POST' && order.state !== 'paid' && !isPayable(db, order)) return undefined
      const { amount, currency, attempt, intent: intentId, state } = order
      // No timestamps or sessions: the same order must create the same body.
      const metadata = { lines: describeLines(orderLines(db, orderId)) }
      return { orderId, amount, currency, metadata, attempt, intentId, paid: state === 'paid' }
    },
    saveIntent: ({ order, intent }) => setIntent(db, order, intent.id),
    // The order's next attempt follows from all its intents: see settleOrder().
    settle: ({ order: { orderId }, intent, phase }) =>
      recordVerdict(db, { orderId, intent, verdict: phase }),
    onError: ({ error }) => {
      const rejected = error instanceof HandoffRejection
      logFailure(rejected ? 'a checkout request was rejected' : 'the checkout failed', error)
    },
  })
}

export interface Reconciling {
  /** Resolves when no write follows, even if a response is still pending. */
  stop(): Promise<void>
}

/** Retrieves all unsettled intents now, and again after each pause, in milliseconds. The service sends no webhooks. */
export function startReconciling(shop: Pick<Shop, 'db' | 'checkout'>, pause: number): Reconciling {
  const stopping = new AbortController()
  const run = (): Promise<void> =>
    settleNow(shop, { signal: stopping.signal }).catch((error) =>
      logFailure('settling failed', error),
    )
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, pause)
  return {
    async stop() {
      clearInterval(timer)
      stopping.abort()
      await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2000))])
    },
  }
}

/**
 * Retrieves each intent without a final verdict, and updates its order.
 *
 * Old intents are included. A payment for one of them does not make its order paid: it is logged, and shown to the
 * buyer.
 *
 * @param options - `orderId`: only this order, for a buyer who opened it.
 * @default All orders
 */
export async function settleNow(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  { orderId, signal }: { readonly orderId?: string; readonly signal?: AbortSignal } = {},
): Promise<void> {
  const onReport = (report: ReconcileReport): void => storeReport(db, report)
  await checkout.reconcile(unsettledIntents(db, orderId), { signal, onReport })
}

/**
 * Retrieves the open intents of a session's unpaid order before the order may change: at most 20, for 3 seconds,
 * because the buyer waits.
 *
 * @returns Whether the service has returned each of them, or does not have it.
 */
export async function retrieveOpenIntents(
  { db, checkout }: Pick<Shop, 'db' | 'checkout'>,
  session: string,
): Promise<boolean> {
  const order = unpaidOrder(db, session)
  if (!order) return true
  let unknown = 0
  const onReport = (report: ReconcileReport): void => {
    storeReport(db, report)
    if (!isKnown(report)) unknown++
  }
  const signal = AbortSignal.timeout(longestAsk)
  try {
    await checkout.reconcile(unsettledIntents(db, order.id).slice(-mostAsked), { signal, onReport })
    return unknown === 0 && !signal.aborted
  } catch (error) {
    logFailure('settling failed', error)
    return false
  }
}

const mostAsked = 20
const longestAsk = 3000

/** The handler's `settle` hook has stored a final phase. */
function storeReport(db: Database, report: ReconcileReport): void {
  if (report.kind === 'settled' || report.kind === 'error') return
  const { intent, order } = report
  const verdict = report.kind === 'pending' ? report.phase : 'mismatch'
  recordVerdict(db, { orderId: order.orderId, intent, verdict })
}

/** An intent that the service does not have cannot be paid. */
function isKnown(report: ReconcileReport): boolean {
  if (report.kind === 'error') return report.error instanceof PiError && report.error.status === 404
  return report.kind !== 'pending' || report.phase !== 'unknown'
}

/** Updates the order of an intent. Repeating it changes nothing. */
function recordVerdict(
  db: Database,
  {
    orderId,
    intent,
    verdict: phase,
  }: { readonly orderId: string; readonly intent: PaymentIntent; readonly verdict: Verdict },
): void {
  const { id, status } = intent
  const verdict = phase === 'failed' && status === 'canceled' ? 'canceled' : phase
  const isNew = storeVerdict(db, { orderId, intent: id, verdict, method: methodOf(intent) })
  const isForEarlierVersion = verdict === 'paid' && findOrder(db, orderId)?.intent !== id
  if (isNew && (isForEarlierVersion || verdict === 'mismatch')) {
    // The money arrived, but not for the order as it is. Refund it, or ship.
    log('warn', 'review a payment', { orderId, intent: id, verdict })
  }
}

/** Brand and last four digits, which the service returns for display. */
function methodOf({ paymentMethod }: PaymentIntent): string | null {
  const card = paymentMethod?.card
  return card ? `${brandNames.get(card.brand) ?? card.brand} •••• ${card.last4}` : null
}

const brandNames: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['mir', 'Mir'],
  ['arca', 'ArCa'],
])
