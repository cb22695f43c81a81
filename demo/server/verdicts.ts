/** How a verdict changes an order. Repeating it changes nothing. @module */
import type { PaymentIntent } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { storeVerdict, type Verdict } from './order-intents.ts'

export function recordVerdict(
  db: Database,
  {
    orderId,
    intent,
    verdict,
  }: { readonly orderId: string; readonly intent: PaymentIntent; readonly verdict: Verdict },
): void {
  storeVerdict(db, { orderId, intent: intent.id, verdict, method: methodOf(intent) })
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
