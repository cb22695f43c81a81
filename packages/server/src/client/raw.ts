/** Fields of an intent that this version does not support. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'

/**
 * Returns all fields of an intent, also those that this version does not support and has no types for.
 *
 * @example
 * const { installments } = raw(await intents.retrieve(order.intentId))
 */
export function raw(intent: PaymentIntent): Readonly<Record<string, unknown>> {
  return { ...intent }
}
