/** Settles orders whose buyer did not come back. The service has no webhooks, so the shop polls it. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type Phase, phaseOf } from '@pi-checkout/contract/spec-decisions'
import { invalidParam, malformedOption, PiError, type PiFailure } from '../client/errors.ts'
import { assertIntentId } from '../client/operations.ts'
import type { OpenOrder } from './options.ts'
import type { Settlements } from './settlements.ts'

/**
 * What `reconcile()` found out about one intent. An order has one report about its current intent, and one about each old
 * intent that is paid or could not be retrieved.
 *
 * `settled`: `settle` ran. `pending`: nothing to do; `unknown` is a status that this version does not support, or an unpaid
 * intent that does not match the order. `needs_review`: a payment that settles nothing: the current intent is paid for
 * another order or amount, or an earlier intent is paid. `error`: the intent could not be retrieved, or the row is malformed.
 */
export type ReconcileReport<Order extends OpenOrder = OpenOrder> = { readonly order: Order } & (
  | {
      readonly kind: 'settled'
      readonly phase: 'paid' | 'failed'
      readonly intent: PaymentIntent
    }
  | {
      readonly kind: 'pending'
      readonly phase: 'open' | 'processing' | 'unknown'
      readonly intent: PaymentIntent
    }
  | {
      readonly kind: 'needs_review'
      readonly reason: 'paid_with_mismatch' | 'paid_on_old_intent'
      readonly intent: PaymentIntent
    }
  | {
      readonly kind: 'error'
      /** `undefined` if the row is malformed. */
      readonly intentId: string | undefined
      /** A `TypeError` names the malformed field of the row. */
      readonly error: PiFailure | TypeError
    }
)

/** Options of `reconcile()`. */
export interface ReconcileOptions<Order extends OpenOrder = OpenOrder> {
  /**
   * Called with each report, after `settle`. What it returns is awaited.
   * @default Passes payments that need a review, and errors, to `onError` of the handler
   */
  readonly onReport?: ((report: ReconcileReport<Order>) => unknown) | undefined
  /**
   * Number of orders that are processed at the same time.
   * @default 4
   */
  readonly concurrency?: number | undefined
  /**
   * Ends the run. No hook is called after the abort.
   * @default None
   */
  readonly signal?: AbortSignal | undefined
}

/** Number of processed orders, and of reports by phase or kind. */
export type ReconcileSummary = Readonly<
  Record<'orders' | Phase | Exclude<ReconcileReport['kind'], 'settled' | 'pending'>, number>
>

/** Processes the orders. See `reconcile` of a handler. */
export async function reconcile<Order extends OpenOrder>(
  orders: AsyncIterable<Order> | Iterable<Order>,
  options: ReconcileOptions<Order> & {
    readonly settlements: Settlements<Order>
    readonly isOneMerchant: boolean
    readonly onError: (error: unknown) => void
  },
): Promise<ReconcileSummary> {
  const { concurrency = 4, onError, signal } = options
  const { onReport = (report) => reportTo(onError, report) } = options
  if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
    throw malformedOption('concurrency', 'must be a whole number from 1', concurrency)
  }
  const summary = { ...emptySummary }
  const iterator =
    Symbol.asyncIterator in orders ? orders[Symbol.asyncIterator]() : orders[Symbol.iterator]()
  // Not every async iterator supports concurrent calls of `next`.
  const next = serialized(() => iterator.next())
  let failure: { readonly error: unknown } | undefined
  const isAborted = (): boolean => signal?.aborted === true

  const work = async (): Promise<void> => {
    while (!failure && !isAborted()) {
      try {
        const { done, value: order } = await next()
        if (done || isAborted()) return
        for await (const report of reportsOf(order, options)) {
          if (isAborted()) return
          summary['phase' in report ? report.phase : report.kind]++
          await onReport(report)
        }
        summary.orders++
      } catch (error) {
        failure ??= { error }
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  // The iterator may have a cursor or a connection.
  if (failure || isAborted()) {
    try {
      await iterator.return?.()
    } catch (error) {
      failure ??= { error }
    }
  }
  if (failure) throw failure.error
  return summary
}

const emptySummary = {
  ...{ orders: 0, open: 0, processing: 0, paid: 0, failed: 0, unknown: 0 },
  ...{ needs_review: 0, error: 0 },
}

interface Context<Order extends OpenOrder> {
  readonly settlements: Settlements<Order>
  readonly isOneMerchant: boolean
  readonly signal?: AbortSignal | undefined
}

async function* reportsOf<Order extends OpenOrder>(
  order: Order,
  context: Context<Order>,
): AsyncGenerator<ReconcileReport<Order>> {
  const malformed = rowErrorOf(order)
  if (malformed) {
    yield { order, kind: 'error', intentId: undefined, error: malformed }
    return
  }
  yield await currentReport(order, context)
  for (const id of new Set(order.oldIntentIds)) {
    if (id === order.intentId) continue
    if (context.signal?.aborted) return
    const retrieved = await attempt(context, id, async () => {
      const client = await context.settlements.clientOf(order)
      return client.retrieve(id, { signal: context.signal })
    })
    if ('error' in retrieved) yield { order, kind: 'error', intentId: id, error: retrieved.error }
    else if (phaseOf(retrieved.value.status) === 'paid') {
      const { value: intent } = retrieved
      yield { order, kind: 'needs_review', reason: 'paid_on_old_intent', intent }
    }
  }
}

async function currentReport<Order extends OpenOrder>(
  order: Order,
  context: Context<Order>,
): Promise<ReconcileReport<Order>> {
  const { intentId: id } = order
  const { settlements, signal } = context
  const examined = await attempt(context, id, () => settlements.examine(order, { id, signal }))
  if ('error' in examined) return { order, kind: 'error', intentId: id, error: examined.error }
  const { intent, phase } = examined.value
  if (phase === 'paid' || phase === 'failed') return { order, kind: 'settled', phase, intent }
  if (phase !== 'mismatch') return { order, kind: 'pending', phase, intent }
  return phaseOf(intent.status) === 'paid'
    ? { order, kind: 'needs_review', reason: 'paid_with_mismatch', intent }
    : { order, kind: 'pending', phase: 'unknown', intent }
}

/** Returns the errors that concern this id only. Throws others, such as a missing variable. */
async function attempt<T>(
  { isOneMerchant }: Pick<Context<never>, 'isOneMerchant'>,
  id: string,
  retrieve: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly error: PiFailure | TypeError }> {
  try {
    assertIntentId(id)
  } catch (error) {
    if (error instanceof TypeError) return { error }
  }
  try {
    return { value: await retrieve() }
  } catch (error) {
    const isKeyRejected = PiError.is(error) && error.status === 401
    if (!PiError.is(error) || (isKeyRejected && isOneMerchant)) throw error
    return { error }
  }
}

function reportTo(onError: (error: unknown) => void, report: ReconcileReport): void {
  if (report.kind === 'error') onError(report.error)
  if (report.kind !== 'needs_review') return
  const { intent, order, reason } = report
  const text = `reconcile: intent ${intent.id} of order ${order.orderId} is ${reason}. Review it manually.`
  onError(new Error(text))
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
    : invalidParam(name, 'is missing or has another type in a row passed to reconcile().')
}

function serialized<T>(task: () => T | Promise<T>): () => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return () => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}
