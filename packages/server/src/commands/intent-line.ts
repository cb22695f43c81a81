/**
 * An intent on one line of a terminal.
 *
 * @module
 */
import { formatMoney, isCurrency } from '@pi-checkout/contract/money'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'

/** Writes id, status, money and order; control characters of a foreign answer are shown, not obeyed. */
export function intentLine({ id, status, amount, currency, orderId }: PaymentIntent): string {
  const money = isCurrency(currency) ? formatMoney(amount, currency) : `${amount} ${currency}`
  return [id, status, money, `order ${orderId}`].map(visible).join('  ')
}

function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')
}
