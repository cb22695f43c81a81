/**
 * Settles what the buyer did not come back for. The service has no webhooks: so the shop asks.
 *
 * @module
 */
import { phaseOf } from '@pi-checkout/contract/open-choices'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import type { PaymentIntents } from './client.ts'
import { PiError } from './errors.ts'
import { type Verdict, verify } from './verify.ts'

/** An order that the shop has not settled yet, with the one extra column that it keeps. */
export interface OpenOrder {
  readonly orderId: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  /** The order's current intent. */
  readonly intentId: string
  /** Intents of this order that a changed cart or a new attempt left behind, where the shop keeps them. */
  readonly oldIntentIds?: readonly string[] | undefined
}

/** What reconcile found out about one order. */
export interface ReconcileReport<Order extends OpenOrder = OpenOrder> {
  readonly order: Order
  readonly verdict: Verdict
  /** The current intent; `undefined` when it could not be asked: see `error`. */
  readonly intent: PaymentIntent | undefined
  /**
   * Money came in that settles nothing; a person must look. `paid_with_mismatch`: the current intent
   * is paid, but for another order or amount. `paid_on_old_intent`: an earlier one is paid.
   */
  readonly alert: 'paid_with_mismatch' | 'paid_on_old_intent' | undefined
  /** The intent that the alert is about. */
  readonly alerted: PaymentIntent | undefined
  /** Why the verdict is `unknown`, when the service did not answer. */
  readonly error: PiError | undefined
}

/** How to reconcile. */
export interface ReconcileOptions<Order extends OpenOrder = OpenOrder> {
  readonly intents: Pick<PaymentIntents, 'retrieve'>
  /** Orders asked about at once. Default 4. */
  readonly concurrency?: number | undefined
  /** Stores the verdict. Called at least once per order: make it idempotent. */
  readonly onVerdict: (report: ReconcileReport<Order>) => void | Promise<void>
  /** Ends the run after the orders under way. */
  readonly signal?: AbortSignal | undefined
}

/** Orders per verdict, and how many alerts and unanswered ones were among them. */
export type ReconcileSummary = Readonly<Record<Verdict | 'orders' | 'alerts' | 'errors', number>>

/**
 * Asks the service about every open order and hands each verdict to the shop.
 *
 * Runs may overlap, stop anywhere and begin again: it keeps no state and only reads from the service.
 * An order whose intent cannot be asked is reported as `unknown` and the others go on.
 *
 * @param orders Any iterable; an async one is read no faster than orders are settled.
 * @returns Counts of this run.
 * @throws What `onVerdict` threw, or the `PiError` of a key that the service does not take: then every
 * other order would fail too.
 */
export async function reconcile<Order extends OpenOrder>(
  orders: AsyncIterable<Order> | Iterable<Order>,
  options: ReconcileOptions<Order>,
): Promise<ReconcileSummary> {
  const concurrency = options.concurrency ?? 4
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new TypeError('concurrency: must be a whole number from 1')
  }
  const counts = emptySummary()
  const source = toIterator(orders)
  let failure: { readonly error: unknown } | undefined
  const next = oneAtATime(() => source.next())

  const work = async (): Promise<void> => {
    while (!failure && !options.signal?.aborted) {
      try {
        const { done, value: order } = await next()
        if (done) return
        const report = await examine(order, options.intents)
        await options.onVerdict(report)
        count(counts, report)
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  // An iterator that was left early may hold a cursor or a connection.
  if (failure || options.signal?.aborted) await source.return?.()
  if (failure) throw failure.error
  return counts
}

async function examine<Order extends OpenOrder>(
  order: Order,
  intents: Pick<PaymentIntents, 'retrieve'>,
): Promise<ReconcileReport<Order>> {
  const nothing = { order, alert: undefined, alerted: undefined, error: undefined }
  try {
    const intent = await intents.retrieve(order.intentId)
    const verdict = verify(intent, { ...order, id: order.intentId })
    if (verdict === 'mismatch' && phaseOf(intent.status) === 'paid') {
      return { ...nothing, verdict, intent, alert: 'paid_with_mismatch', alerted: intent }
    }
    for (const oldId of order.oldIntentIds ?? []) {
      if (oldId === order.intentId) continue
      const old = await intents.retrieve(oldId)
      if (phaseOf(old.status) !== 'paid') continue
      return { ...nothing, verdict, intent, alert: 'paid_on_old_intent', alerted: old }
    }
    return { ...nothing, verdict, intent }
  } catch (error) {
    if (!(error instanceof PiError) || error.status === 401 || error.status === 403) throw error
    return { ...nothing, verdict: 'unknown', intent: undefined, error }
  }
}

function emptySummary(): Record<keyof ReconcileSummary, number> {
  return {
    orders: 0,
    paid: 0,
    open: 0,
    processing: 0,
    failed: 0,
    mismatch: 0,
    unknown: 0,
    alerts: 0,
    errors: 0,
  }
}

function count(counts: Record<keyof ReconcileSummary, number>, report: ReconcileReport): void {
  counts.orders++
  counts[report.verdict]++
  if (report.alert) counts.alerts++
  if (report.error) counts.errors++
}

function toIterator<T>(items: AsyncIterable<T> | Iterable<T>): AsyncIterator<T> | Iterator<T> {
  return Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
}

/** Not every async iterator takes a second `next` before the first is answered. */
function oneAtATime<T>(task: () => T | Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const mine = last.then(task)
    last = mine.catch(() => {})
    return mine
  }
}
