/** Serializes intents for the merchant API. Lists fields, so that no other is included. @module */
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract'
import type { CreatedRecord } from './create-batch.ts'
import type { RetrievedIntent } from './intent-row.ts'

/** Returns the response to a create and to its replays: the intent as created, and its secret. */
export function serializeCreated(
  { id, body, createdAt }: Pick<CreatedRecord, 'id' | 'body' | 'createdAt'>,
  clientSecret: string,
): CreatedPaymentIntent {
  const at = createdAt.toISOString()
  return {
    id,
    amount: body.amount,
    currency: body.currency,
    orderId: body.orderId,
    clientSecret,
    customer: body.customer ? { ...body.customer } : null,
    metadata: body.metadata ?? null,
    status: 'requires_payment_method',
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
    providerPaymentId: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** Returns the response to a retrieve, without the secret and the challenge's address. */
export function serializeIntent(intent: RetrievedIntent): PaymentIntent {
  const { nextAction } = intent
  return {
    id: intent.id,
    amount: intent.amount,
    currency: intent.currency,
    orderId: intent.orderId,
    customer: intent.customer && { ...intent.customer },
    metadata: intent.metadata,
    status: intent.status,
    paymentMethod: intent.paymentMethod,
    lastPaymentFailure: intent.lastPaymentFailure,
    nextAction: nextAction && {
      type: nextAction.type,
      expiresAt: nextAction.expiresAt.toISOString(),
    },
    providerPaymentId: intent.providerPaymentId,
    createdAt: intent.createdAt.toISOString(),
    updatedAt: intent.updatedAt.toISOString(),
  }
}
