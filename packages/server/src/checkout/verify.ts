/** Decides whether an intent pays an order. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { type Phase, phaseOf } from '@pi-checkout/contract/payment-status'

/** What the merchant's records expect of an intent. */
export interface ExpectedIntent {
  /** The order's current intent, as your database has it. */
  readonly id: string
  readonly orderId: string
  /** Minor units. */
  readonly amount: number
  /** In upper or lower case. */
  readonly currency: string
}

/**
 * Compares an intent with the merchant's order.
 *
 * @param intent - Retrieved from the service just before.
 * @param expected - From the merchant's database. Values from a browser or from the intent prove nothing.
 * @returns The phase of the intent, or `mismatch` if it has another id, order, amount, or currency: review it manually.
 * @example
 * const phase = verify(await intents.retrieve(order.intentId), { ...order, id: order.intentId })
 */
export function verify(
  intent: Pick<PaymentIntent, 'id' | 'orderId' | 'amount' | 'currency' | 'status'>,
  expected: ExpectedIntent,
): Phase | 'mismatch' {
  const matches =
    intent.id === expected.id &&
    intent.orderId === expected.orderId &&
    intent.amount === expected.amount &&
    intent.currency === expected.currency.toUpperCase()
  return matches ? phaseOf(intent.status) : 'mismatch'
}
