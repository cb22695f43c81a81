/** What an intent, and the payments of an order, mean for it. Pure functions, without the service and the store. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type Phase, phaseOf } from '@pi-checkout/contract/payment-status'
import type { CreateParams } from '../client/create-params.ts'
import { canonicalText } from '../client/idempotency-key.ts'
import type { Payment, PaymentStatus, ReviewReason } from './payment-record.ts'

/** What an order costs now. */
export interface CheckoutOrder extends CreateParams {
  /**
   * Changes whenever a payment for the order as it was must not pay for the order as it is. Another amount or currency is
   * another version in any case.
   * @default The metadata
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

/** The first of these that an order has decides. */
const byRank: readonly (readonly [PaymentState['phase'], readonly PaymentStatus[]])[] = [
  ['paid', ['paid']],
  ['processing', ['paying', 'processing']],
  ['unknown', ['unknown']],
  ['review', ['reviewing', 'review']],
]

/**
 * Returns what the payments of an order mean for it.
 *
 * @param order - The order as it is now; `undefined` if the shop no longer has it.
 * @param stored - Its payments.
 * @example
 * const { phase } = paymentState(order, await checkout.payments(order.orderId))
 */
export function paymentState(
  order: CheckoutOrder | undefined,
  stored: readonly Payment[],
): PaymentState {
  const payments = stored.toSorted((a, b) => a.attempt - b.attempt)
  const attempt = (payments.at(-1)?.attempt ?? 0) + 1
  for (const [phase, states] of byRank) {
    const payment = payments.find(({ state }) => states.includes(state))
    const reason = phase === 'review' ? payment?.reason : undefined
    if (payment) return { phase, reason, payment, attempt }
  }
  const version = order && orderVersion(order)
  const current = payments.filter((payment) => payment.version === version)
  const open = current.findLast(({ state, body }) => state === 'open' && body !== undefined)
  if (open) return { phase: 'open', payment: open, attempt: open.attempt }
  const last = current.at(-1)
  return last && last.state !== 'open'
    ? { phase: 'failed', reason: last.reason ?? last.state, payment: last, attempt }
    : { phase: 'open', attempt }
}

/** Decides once what a paid payment means. */
export function decide(
  payment: Payment,
  payments: readonly Payment[],
  order: CheckoutOrder | undefined,
): { readonly state: 'paying' } | { readonly state: 'reviewing'; readonly reason: ReviewReason } {
  const review = (reason: ReviewReason) => ({ state: 'reviewing', reason }) as const
  if (ordersPayment(payments)) return review('duplicate')
  if (!order) return review('order_not_found')
  return payment.version === orderVersion(order) ? { state: 'paying' } : review('earlier_version')
}

/** Returns the payment that is the order's, of which there is at most one. */
export function ordersPayment(payments: readonly Payment[]): Payment | undefined {
  return payments.find(({ state }) => state === 'paying' || state === 'paid')
}

/** Returns the version of an order. A changed customer is no other version. */
export function orderVersion({ version, amount, currency, metadata }: CheckoutOrder): string {
  const notes = Object.keys(metadata ?? {}).length > 0 ? canonicalText(metadata) : undefined
  const rest = version ?? notes
  const price = `${amount} ${currency}`.toUpperCase()
  return rest === undefined ? price : [price, rest].join(' ')
}

/**
 * Compares an intent, which was retrieved just before, with the stored payment of the order.
 *
 * @returns Its phase, or `mismatch` if it has another id, order, amount, or currency.
 */
export function verify(
  intent: Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency' | 'status'>,
  orderId: string,
  { intentId, amount, currency }: Pick<Payment, 'intentId' | 'amount' | 'currency'>,
): Phase | 'mismatch' {
  const matches =
    intent.id === intentId &&
    intent.orderId === orderId &&
    intent.amount === amount &&
    intent.currency === currency
  return matches ? phaseOf(intent.status) : 'mismatch'
}
