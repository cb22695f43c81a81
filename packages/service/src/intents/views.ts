/** What merchants see of an intent. Fields are listed, so that no other is included. @module */
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract'
import { type Intent, lastConfirmation, selectedMethod, updatedAt } from './intent.ts'

/** Returns the response to a create and to its replays: the intent as it was created, and its secret. */
export function createdView(intent: Intent, clientSecret: string): CreatedPaymentIntent {
  const { id, amount, currency, orderId } = intent
  return Object.assign({ id, amount, currency, orderId, clientSecret }, merchantView(intent))
}

/** Returns the response to a retrieve, without the secret and the challenge's address. */
export function merchantView(intent: Intent): PaymentIntent {
  const confirmation = lastConfirmation(intent)
  const challenge = intent.state?.challenge
  return {
    id: intent.id,
    amount: intent.amount,
    currency: intent.currency,
    orderId: intent.orderId,
    customer: intent.customer,
    metadata: intent.metadata,
    status: intent.status,
    paymentMethod: selectedMethod(intent),
    lastPaymentFailure: confirmation?.failure ?? null,
    nextAction: challenge ? { type: challenge.type, expiresAt: challenge.expiresAt } : null,
    providerPaymentId: confirmation?.providerPaymentId ?? null,
    createdAt: intent.createdAt.toISOString(),
    updatedAt: updatedAt(intent).toISOString(),
  }
}
