/**
 * What a verdict of the service does to an order. Saying it twice changes nothing.
 *
 * @module
 */
import type { PaymentIntent, Verdict } from '@pi-checkout/server'
import type { Database } from './database.ts'
import { markFailed, markPaid, markProcessing, noteVerdict } from './order-intents.ts'

export function recordVerdict(
  db: Database,
  {
    orderId,
    intent,
    verdict,
  }: { readonly orderId: string; readonly intent: PaymentIntent; readonly verdict: Verdict },
): void {
  const { id } = intent
  noteVerdict(db, { intent: id, verdict })
  if (verdict === 'paid') markPaid(db, { orderId, intent: id, method: methodOf(intent) })
  if (verdict === 'failed') markFailed(db, { orderId, intent: id })
  if (verdict === 'processing') markProcessing(db, { orderId, intent: id })
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
