/**
 * Makes the display view of an intent: an allow-list, so that a new column shows nowhere by itself.
 *
 * @module
 */

import type { CheckoutAction, CheckoutView } from '../../shared/checkout-api.ts'
import type { Context } from '../context.ts'
import type { RetrievedIntent } from '../intents/store.ts'
import type { ReadStanding } from './standing.ts'

/** What the hosted page may know of where an intent stands. */
export function displayView(
  { challengeUrl }: Pick<Context, 'challengeUrl'>,
  { environment, intent }: Omit<ReadStanding, 'at'>,
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
    paymentMethod: displayMethod(intent),
    lastPaymentFailure: intent.lastPaymentFailure,
    nextAction: displayAction(challengeUrl, intent),
  }
}

/** Where the issuer's page stands: in a frame of the hosted page, or as a page of its own. */
export const challengePaths = { challenge: '/challenge', redirect: '/bank' } as const

function displayMethod({
  paymentMethod,
}: Pick<RetrievedIntent, 'paymentMethod'>): CheckoutView['paymentMethod'] {
  const card = paymentMethod?.card
  if (!card) return null
  const { brand, last4, expMonth, expYear, funding } = card
  return { type: 'card', card: { brand, last4, expMonth, expYear, funding } }
}

function displayAction(
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
