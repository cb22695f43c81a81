/**
 * Settles what the buyer did not come back for. The service has no webhooks: so the shop asks.
 *
 * @module
 */

import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { phaseOf } from '@pi-checkout/contract/spec-decisions'
import { checkedId } from './calls.ts'
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
  /** The current intent; `undefined` when it could not be retrieved: see `error`. */
  readonly intent: PaymentIntent | undefined
  /**
   * Money came in that settles nothing; a person must look. `paid_with_mismatch`: the current intent
   * is paid, but for another order or amount. `paid_on_old_intent`: an earlier one is paid.
   */
  readonly alert: 'paid_with_mismatch' | 'paid_on_old_intent' | undefined
  /** The intent that the alert is about. */
  readonly alerted: PaymentIntent | undefined
  /**
   * What is not known about this order: the first of its ids that the service could not be asked about, or a
   * `TypeError` that names the malformed field of the row. `verdict` and `alert` rest on the ids that could be asked.
   */
  readonly error: PiError | TypeError | undefined
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
 * An order whose row is malformed, or whose intent cannot be retrieved, is reported as `unknown` with its `error`, and
 * the others go on. A payment that was found is reported even if other ids of the order fail.
 *
 * @param orders Any iterable; an async one is read no faster than orders are settled.
 * @returns Counts of this run.
 * @throws What `onVerdict` or the iterable threw. A missing variable, and the `PiError` of a key that the service does
 * not take: then every other order would fail too.
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
  const report = { order, alert: undefined, alerted: undefined }
  const bad = rowFault(order)
  if (bad) return { ...report, verdict: 'unknown', intent: undefined, error: bad }
  const current = await retrieve(order.intentId, intents)
  if (current.error && isKeyRefused(current.error)) throw current.error
  const { intent } = current
  let { error } = current
  const verdict = intent ? verify(intent, { ...order, id: order.intentId }) : 'unknown'
  if (intent && verdict === 'mismatch' && phaseOf(intent.status) === 'paid') {
    return { ...report, verdict, intent, error, alert: 'paid_with_mismatch', alerted: intent }
  }
  for (const oldId of order.oldIntentIds ?? []) {
    if (oldId === order.intentId) continue
    const old = await retrieve(oldId, intents)
    error ??= old.error
    if (!old.intent || phaseOf(old.intent.status) !== 'paid') continue
    return { ...report, verdict, intent, error, alert: 'paid_on_old_intent', alerted: old.intent }
  }
  return { ...report, verdict, intent, error }
}

/** Reads one intent. What is no failure of this one id, such as a missing variable, is thrown. */
async function retrieve(
  id: string,
  intents: Pick<PaymentIntents, 'retrieve'>,
): Promise<{ readonly intent: PaymentIntent | undefined; readonly error: RowError | undefined }> {
  try {
    checkedId(id)
  } catch (error) {
    return { intent: undefined, error: error instanceof TypeError ? error : undefined }
  }
  try {
    return { intent: await intents.retrieve(id), error: undefined }
  } catch (error) {
    if (!(error instanceof PiError)) throw error
    return { intent: undefined, error }
  }
}

type RowError = PiError | TypeError

function isKeyRefused(error: RowError): boolean {
  return error instanceof PiError && (error.status === 401 || error.status === 403)
}

/** Names the field of a row that nothing can be compared with. */
function rowFault(order: OpenOrder | null | undefined): TypeError | undefined {
  const rules: readonly [field: string, kept: boolean][] = [
    ['orderId', typeof order?.orderId === 'string'],
    ['amount', typeof order?.amount === 'number'],
    ['currency', typeof order?.currency === 'string'],
    ['oldIntentIds', Array.isArray(order?.oldIntentIds ?? [])],
  ]
  const broken = rules.find(([, kept]) => !kept)
  if (!broken) return undefined
  return new TypeError(`${broken[0]}: is missing or of another type in a row given to reconcile()`)
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
