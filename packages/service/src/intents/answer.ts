/**
 * What a merchant sees of an intent: listed field by field, so that nothing else can slip out.
 *
 * @module
 */
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract'
import type { Created } from './creation.ts'
import type { RetrievedIntent } from './store.ts'

/** The answer to a create, and to each replay of it: the intent as it was made, and its secret. */
export function creationAnswer(
  { id, body, createdAt }: Pick<Created, 'id' | 'body' | 'createdAt'>,
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

/** The answer to a retrieve: no secret, and no address of the bank's page. */
export function intentAnswer(intent: RetrievedIntent): PaymentIntent {
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
