/** The card that paid, for the receipt. @module */
import type { PaymentIntents } from '@pi-checkout/server'

/** Returns brand and last four digits. `null` if the service does not return them: the order is paid anyway. */
export async function cardOf(
  intents: Pick<PaymentIntents, 'retrieve'>,
  intentId: string,
): Promise<string | null> {
  const intent = await intents.retrieve(intentId, { totalTimeout: 3000 }).catch(() => undefined)
  const card = intent?.paymentMethod?.card
  return card
    ? `${card.brand.replace(/^./, (first) => first.toUpperCase())} •••• ${card.last4}`
    : null
}
