/**
 * Settles orders whose buyer did not come back. The service has no webhooks, so the shop polls it.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { phaseOf } from '@pi-checkout/contract/spec-decisions'
import { PiError } from '../client/errors.ts'
import { assertIntentId } from '../client/operations.ts'
import type { PaymentIntents } from '../client/payment-intents.ts'
import { type Verdict, verify } from './verify.ts'

/** An order that the shop has not settled yet. */
export interface OpenOrder {
  readonly orderId: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  /** The order's current intent. */
  readonly intentId: string
  /**
   * Earlier intents of this order, which a changed cart or a new attempt replaced.
   * @default []
   */
  readonly oldIntentIds?: readonly string[] | undefined
}

/** What `reconcile()` found out about one order. */
export interface ReconcileReport<Order extends OpenOrder = OpenOrder> {
  readonly order: Order
  readonly verdict: Verdict
  /** The current intent; `undefined` if it could not be retrieved: see `error`. */
  readonly intent: PaymentIntent | undefined
  /**
   * A payment that settles nothing. Review it manually. `paid_with_mismatch`: the current intent is paid, but for
   * another order or amount. `paid_on_old_intent`: an earlier intent is paid.
   */
  readonly alert: 'paid_with_mismatch' | 'paid_on_old_intent' | undefined
  /** The intent of the alert. */
  readonly alerted: PaymentIntent | undefined
  /**
   * Error of the first id that could not be retrieved, or a `TypeError` that names the malformed field of the row.
   * `verdict` and `alert` depend on the other ids only.
   */
  readonly error: PiError | TypeError | undefined
}

/** Options of `reconcile()`. */
export interface ReconcileOptions<Order extends OpenOrder = OpenOrder> {
  readonly intents: Pick<PaymentIntents, 'retrieve'>
  /**
   * Number of orders that are processed at the same time.
   * @default 4
   */
  readonly concurrency?: number | undefined
  /** Stores the verification result. Runs at least once for each order: make it idempotent. */
  readonly onVerdict: (report: ReconcileReport<Order>) => void | Promise<void>
  /**
   * Ends the run after the orders in progress.
   * @default None
   */
  readonly signal?: AbortSignal | undefined
}

/** Number of orders for each verdict, and how many had an alert or an error. */
export type ReconcileSummary = Readonly<Record<Verdict | 'orders' | 'alerts' | 'errors', number>>

/**
 * Retrieves the intent of every open order and passes each verification result to the shop.
 *
 * Runs can overlap, stop at any point, and start again: `reconcile()` keeps no state and only reads from the service. An
 * order whose row is malformed, or whose intent cannot be retrieved, is reported as `unknown` with its `error`.
 *
 * @param orders - Any iterable. An async one is read no faster than orders are settled.
 * @param options - See `ReconcileOptions`.
 * @returns Counts of this run.
 * @throws {TypeError} If a variable is missing, or `concurrency` is invalid.
 * @throws {PiError} If the service rejects the key, because every other order would fail too.
 * @throws What `onVerdict` or the iterable throws.
 * @example
 * await reconcile(orders.open(), { intents, onVerdict: ({ order, verdict }) => orders.settle(order, verdict) })
 */
export async function reconcile<Order extends OpenOrder>(
  orders: AsyncIterable<Order> | Iterable<Order>,
  options: ReconcileOptions<Order>,
): Promise<ReconcileSummary> {
  const { concurrency = 4, intents, onVerdict, signal } = options
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw new TypeError(
      `concurrency: must be a whole number from 1; received ${String(concurrency)}.`,
    )
  }
  const summary = { ...emptySummary }
  const iterator =
    Symbol.asyncIterator in orders ? orders[Symbol.asyncIterator]() : orders[Symbol.iterator]()
  // Not every async iterator supports concurrent calls of `next`.
  const next = serialized(() => iterator.next())
  let failure: { readonly error: unknown } | undefined

  const work = async (): Promise<void> => {
    while (!failure && !signal?.aborted) {
      try {
        const { done, value: order } = await next()
        if (done) return
        const report = await examine(order, intents)
        await onVerdict(report)
        summary.orders++
        summary[report.verdict]++
        if (report.alert) summary.alerts++
        if (report.error) summary.errors++
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  // The iterator may have a cursor or a connection.
  if (failure || signal?.aborted) await iterator.return?.()
  if (failure) throw failure.error
  return summary
}

const emptySummary = {
  ...{ orders: 0, paid: 0, open: 0, processing: 0, failed: 0 },
  ...{ mismatch: 0, unknown: 0, alerts: 0, errors: 0 },
}

async function examine<Order extends OpenOrder>(
  order: Order,
  intents: Pick<PaymentIntents, 'retrieve'>,
): Promise<ReconcileReport<Order>> {
  const report = { order, alert: undefined, alerted: undefined }
  const rowError = rowErrorOf(order)
  if (rowError) return { ...report, verdict: 'unknown', intent: undefined, error: rowError }
  const current = await retrieve(order.intentId, intents)
  if (current.error && isKeyRejected(current.error)) throw current.error
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

/** Retrieves an intent. Throws errors that do not concern this id, such as a missing variable. */
async function retrieve(
  id: string,
  intents: Pick<PaymentIntents, 'retrieve'>,
): Promise<{ readonly intent: PaymentIntent | undefined; readonly error: RowError | undefined }> {
  try {
    assertIntentId(id)
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

function isKeyRejected(error: RowError): boolean {
  return error instanceof PiError && (error.status === 401 || error.status === 403)
}

function rowErrorOf(order: OpenOrder | null | undefined): TypeError | undefined {
  const fields: readonly [name: string, isValid: boolean][] = [
    ['orderId', typeof order?.orderId === 'string'],
    ['amount', typeof order?.amount === 'number'],
    ['currency', typeof order?.currency === 'string'],
    ['oldIntentIds', Array.isArray(order?.oldIntentIds ?? [])],
  ]
  const [name] = fields.find(([, isValid]) => !isValid) ?? []
  return name === undefined
    ? undefined
    : new TypeError(`${name}: is missing or has another type in a row passed to reconcile().`)
}

function serialized<T>(task: () => T | Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}
