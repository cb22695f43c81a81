/** Decides which money pays for what. Pure functions, without the service and the store. @module */
import type { CreateParams } from '../client/create-params.ts'
import { canonicalText } from '../client/idempotency-key.ts'
import type { Payment, PaymentRecord, ReviewReason } from './payment-record.ts'

/** What an order costs now. */
export interface CheckoutOrder extends CreateParams {
  /**
   * Changes whenever a payment for the order as it was must not pay for the order as it is.
   * @default Amount, currency, and metadata
   */
  readonly version?: string | undefined
}

/** What the payments of an order mean for it. */
export interface PaymentState {
  /**
   * `open` and `failed`: the order can be paid. `processing`: wait. `review`: the merchant decides about a payment.
   * `unknown`: a payment has a status that this version does not support.
   */
  readonly phase: 'open' | 'processing' | 'paid' | 'failed' | 'review' | 'unknown'
  /** Why the last payment failed, or the payment is under review. */
  readonly reason?: string | undefined
  /** The payment that the phase is about; `undefined` before the first. */
  readonly payment?: Payment | undefined
  /** The attempt of the open payment, or of the next one. */
  readonly attempt: number
}

/**
 * Returns what the payments of an order mean for it.
 *
 * @param order - The order as it is now; `undefined` if the shop no longer has it.
 * @param record - Its stored payments; `undefined` before the first.
 * @example
 * const { phase } = paymentState(order, await payments.load(intents.scope(), order.orderId))
 */
export function paymentState(
  order: CheckoutOrder | undefined,
  record: Pick<PaymentRecord, 'payments'> | undefined,
): PaymentState {
  const payments = (record?.payments ?? []).toSorted((a, b) => a.attempt - b.attempt)
  const version = order && orderVersion(order)
  const current = payments.filter((payment) => payment.version === version)
  const attempt = (payments.at(-1)?.attempt ?? 0) + 1

  const paid = payments.find((payment) => isOrders(payment) && payment.done)
  if (paid) return { phase: 'paid', payment: paid, attempt }

  const pending = payments.find(
    ({ phase, done }) => phase === 'processing' || (phase === 'paid' && !done),
  )
  if (pending) return { phase: 'processing', payment: pending, attempt }

  const unknown = payments.find(({ phase }) => phase === 'unknown')
  if (unknown) return { phase: 'unknown', payment: unknown, attempt }

  const review = payments.find(({ decision }) => decision === 'review')
  if (review) return { phase: 'review', reason: review.reason, payment: review, attempt }

  const open = current.findLast(({ phase }) => phase === 'open')
  if (open) return { phase: 'open', payment: open, attempt: open.attempt }

  const last = current.at(-1)
  return last
    ? { phase: 'failed', reason: last.reason, payment: last, attempt }
    : { phase: 'open', attempt }
}

/**
 * Decides once what a paid payment means. At most one payment of an order pays: the one that is stored first.
 *
 * @param order - Read after the payment was paid; `undefined` if the shop no longer has it.
 */
export function decide(
  payment: Payment,
  record: PaymentRecord,
  order: CheckoutOrder | undefined,
): { readonly decision: 'pays' } | { readonly decision: 'review'; readonly reason: ReviewReason } {
  const isTaken = record.payments.some(
    (other) => other.intentId !== payment.intentId && isOrders(other),
  )
  if (isTaken) return { decision: 'review', reason: 'duplicate' }
  if (!order) return { decision: 'review', reason: 'order_not_found' }
  if (payment.version !== orderVersion(order))
    return { decision: 'review', reason: 'earlier_version' }
  return { decision: 'pays' }
}

/** Returns whether a payment is the order's, or will be when its hook has returned. */
export function isOrders({ decision }: Payment): boolean {
  return decision === 'pays' || decision === 'accepted'
}

/** Returns the version of an order: its own, or what it costs. A changed customer is no other version. */
export function orderVersion({ version, amount, currency, metadata }: CheckoutOrder): string {
  const notes = Object.keys(metadata ?? {}).length > 0 ? ` ${canonicalText(metadata)}` : ''
  return version ?? `${amount} ${currency.toUpperCase()}${notes}`
}
