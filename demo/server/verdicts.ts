/**
 * What a verdict of the service does to an order. Repeating it changes nothing.
 *
 * @module
 */
import type { PaymentIntent, Verdict } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { noteVerdict } from './order-intents.ts'

export function recordVerdict(
  db: Database,
  {
    orderId,
    intent,
    verdict,
  }: { readonly orderId: string; readonly intent: PaymentIntent; readonly verdict: Verdict },
): void {
  noteVerdict(db, { orderId, intent: intent.id, verdict, method: methodOf(intent) })
}

/** Display-safe by the service's own promise: brand and last four digits. */
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
