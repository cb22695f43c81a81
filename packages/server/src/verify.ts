/**
 * Whether an order is paid: only an intent that is this order's own, with its very money, says so.
 *
 * @module
 */

import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { phaseOf } from '@pi-checkout/contract/spec-decisions'

/** What the merchant's own records say that the intent must be. */
export interface ExpectedIntent {
  /** The order's current intent, as `onIntent` stored it. */
  readonly id: string
  readonly orderId: string
  /** Minor units. */
  readonly amount: number
  /** In any case. */
  readonly currency: string
}

/**
 * What an intent means for its order.
 *
 * `mismatch`: it is another intent, order or money; a person must look. `unknown`: a status that
 * this version does not know; never taken for a payment.
 */
export type Verdict = 'paid' | 'open' | 'processing' | 'failed' | 'mismatch' | 'unknown'

/**
 * Compares an intent, freshly retrieved, with the merchant's own order.
 *
 * @param expected From the merchant's database. Values from a browser or from the intent prove nothing.
 */
export function verify(
  intent: Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency' | 'status'>,
  expected: ExpectedIntent,
): Verdict {
  const same =
    intent.id === expected.id &&
    intent.orderId === expected.orderId &&
    intent.amount === expected.amount &&
    intent.currency === expected.currency.toUpperCase()
  return same ? phaseOf(intent.status) : 'mismatch'
}
