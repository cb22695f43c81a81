/** Serializes intents for the hosted page. Fields are listed one by one, so that no other field is included. @module */
import type { CheckoutAction, CheckoutView } from '../../shared/checkout-api.ts'
import { routes } from '../../shared/routes.ts'
import type { RetrievedIntent } from '../intents/intents.ts'
import type { RetrievedSnapshot } from './intent-snapshot.ts'

export function checkoutView(
  { environment, intent }: Omit<RetrievedSnapshot, 'at'>,
  challengeUrl: string,
): CheckoutView {
  return {
    id: intent.id,
    version: intent.version,
    environment: environment.mode,
    merchantName: environment.merchantName,
    amount: intent.amount,
    currency: intent.currency,
    orderId: intent.orderId,
    status: intent.status,
    paymentMethod: methodOf(intent),
    lastPaymentFailure: intent.lastPaymentFailure,
    nextAction: actionOf(challengeUrl, intent),
  }
}

/** Paths of the test bank's page, in an iframe of the hosted page or as a separate page. */
const challengePaths = { challenge: routes.challenge.path, redirect: routes.bank.path } as const

function methodOf({
  paymentMethod,
}: Pick<RetrievedIntent, 'paymentMethod'>): CheckoutView['paymentMethod'] {
  const card = paymentMethod?.card
  if (!card) return null
  const { brand, last4, expMonth, expYear, funding } = card
  return { type: 'card', card: { brand, last4, expMonth, expYear, funding } }
}

function actionOf(
  challengeUrl: string,
  { nextAction }: Pick<RetrievedIntent, 'nextAction'>,
): CheckoutAction | null {
  if (!nextAction) return null
  const { type, expiresAt } = nextAction
  return {
    type,
    expiresAt: expiresAt.toISOString(),
    url: `${challengeUrl}${challengePaths[type]}`,
  }
}
