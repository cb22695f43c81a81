/** Serializes intents for the hosted page. Fields are listed one by one, so that no other field is included. @module */
import type { CardSummary, CheckoutView } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import type { RetrievedSnapshot } from './intent-snapshot.ts'

export function checkoutView(
  { environment, intent }: Omit<RetrievedSnapshot, 'at'>,
  challengeUrl: string,
): CheckoutView {
  const { nextAction, paymentMethod } = intent
  return {
    id: intent.id,
    version: intent.version,
    environment: environment.mode,
    merchantName: environment.merchantName,
    amount: intent.amount,
    currency: intent.currency,
    orderId: intent.orderId,
    status: intent.status,
    paymentMethod: paymentMethod?.card
      ? { type: 'card', card: summaryOf(paymentMethod.card) }
      : null,
    lastPaymentFailure: intent.lastPaymentFailure,
    nextAction: nextAction && {
      type: nextAction.type,
      expiresAt: nextAction.expiresAt.toISOString(),
      url: `${challengeUrl}${challengePaths[nextAction.type]}`,
    },
  }
}

/** Paths of the test bank's page, in an iframe of the hosted page or as a separate page. */
const challengePaths = { challenge: routes.challenge.path, redirect: routes.bank.path } as const

function summaryOf({ brand, last4, expMonth, expYear, funding }: CardSummary): CardSummary {
  return { brand, last4, expMonth, expYear, funding }
}
