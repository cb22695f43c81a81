/** What merchants and buyers' pages see of an intent. Fields are listed, so that no other is included. @module */
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract'
import type { CheckoutView } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
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

/**
 * Returns what a buyer's page sees.
 *
 * @param challengeUrl - Origin of the test bank.
 */
export function checkoutView(
  intent: Intent,
  { merchantName, mode }: { readonly merchantName: string; readonly mode: 'test' | 'live' },
  challengeUrl: string,
): CheckoutView {
  const card = selectedMethod(intent)?.card
  const confirmation = lastConfirmation(intent)
  const challenge = intent.state?.challenge
  return {
    id: intent.id,
    version: intent.version,
    environment: mode,
    merchantName,
    amount: intent.amount,
    currency: intent.currency,
    orderId: intent.orderId,
    status: intent.status,
    paymentMethod: card ? { type: 'card', card } : null,
    lastPaymentFailure: confirmation?.failure ?? null,
    nextAction: challenge
      ? { type: challenge.type, url: `${challengeUrl}${challengePaths[challenge.type]}` }
      : null,
    confirmationId: confirmation?.confirmationId ?? null,
  }
}

/** Paths of the test bank's page, in an iframe of the hosted page or as a separate page. */
const challengePaths = { challenge: routes.challenge.path, redirect: routes.bank.path } as const
