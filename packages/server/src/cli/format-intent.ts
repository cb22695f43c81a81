/** An intent as one line of a terminal. @module */
import { formatMoney, isCurrency } from '@pi-checkout/contract/money'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'

/** Formats id, status, amount, and order. Control characters of a response are replaced. */
export function formatIntent({ id, status, amount, currency, orderId }: PaymentIntent): string {
  const money = isCurrency(currency) ? formatMoney(amount, currency) : `${amount} ${currency}`
  const fields = [id, status, money, `order ${orderId}`]
  return fields.map((text) => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '\ufffd')).join('  ')
}
