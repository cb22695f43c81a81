/** How a verdict changes an order. Repeating it changes nothing. @module */
import type { PaymentIntent } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { storeVerdict, type Verdict } from './order-intents.ts'
import { findOrder } from './orders.ts'
import { logPaymentToReview } from './problem.ts'

export function recordVerdict(
  db: Database,
  {
    orderId,
    intent,
    verdict,
  }: { readonly orderId: string; readonly intent: PaymentIntent; readonly verdict: Verdict },
): void {
  const { id } = intent
  const isNew = storeVerdict(db, { orderId, intent: id, verdict, method: methodOf(intent) })
  const isForEarlierVersion = verdict === 'paid' && findOrder(db, orderId)?.intent !== id
  if (isNew && (isForEarlierVersion || verdict === 'mismatch')) {
    logPaymentToReview({ orderId, intent: id, verdict })
  }
}

/** Brand and last four digits, which the service returns for display. */
function methodOf({ paymentMethod }: PaymentIntent): string | null {
  const card = paymentMethod?.card
  return card ? `${brandNames.get(card.brand) ?? card.brand} •••• ${card.last4}` : null
}

const brandNames: ReadonlyMap<string, string> = new Map([
  ['visa', 'Visa'],
  ['mastercard', 'Mastercard'],
  ['amex', 'American Express'],
  ['mir', 'Mir'],
  ['arca', 'ArCa'],
])
