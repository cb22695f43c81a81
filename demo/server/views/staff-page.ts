/** For the staff: payments that don't pay for their orders. @module */
import type { Payment, ReviewReason } from '@pi-checkout/server'
import { priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { message } from './message-page.ts'
import { facts, orderNumber, timeText } from './order-parts.ts'

const reasons: Readonly<Record<ReviewReason, string>> = {
  duplicate: 'Another payment pays for the order',
  earlier_version: 'The order changed after the payment began',
  rejected: 'The order could not be marked as paid',
  mismatch: 'The service returned another order or amount',
  order_not_found: 'The buyer has closed the order',
}

export function staffPage(orders: readonly OrderDetails[], inspectorUrl: string | undefined): Page {
  if (orders.length === 0) return { title: nothing.title, content: message(nothing) }
  const title = 'Payments under review'
  const payments = orders.flatMap((order) => order.underReview.map((one) => ({ order, one })))
  const content = html`<div class="order stack">
    <h1>${title}</h1>
    <p class="muted">Accept a payment for its order, or refund it at the payment provider and then record that here.</p>
    ${payments.map(({ order, one }) => decision(order, one, inspectorUrl))}
  </div>`
  return { title, content, intentId: payments[0]?.one.intentId }
}

const nothing = {
  title: 'No payments to review',
  text: 'If an order is paid twice, or after it was closed, the shop’s staff decides here.',
  picture: 'coffee-cups',
}

function decision(
  { order }: OrderDetails,
  { intentId, amount, createdAt, reason }: Payment,
  inspectorUrl: string | undefined,
): Html {
  const intent = html`<bdi class="intent-id">${intentId}</bdi>`
  const link = html`<a href="${inspectorUrl}#/intents/${intentId}" target="_blank" rel="noopener">${intent}</a>`
  return html`<form class="card stack" method="post" action="/staff" data-testid="review">
    ${facts({
      Order: orderNumber(order.id),
      'Order total': priceText(order.amount),
      Payment: inspectorUrl ? link : intent,
      'Paid amount': html`<strong class="money">${priceText(amount)}</strong>`,
      Created: timeText(createdAt, 'short'),
      Reason: reasons[reason as ReviewReason],
    })}
    <input type="hidden" name="orderId" value="${order.id}">
    <input type="hidden" name="intentId" value="${intentId}">
    <div class="row actions">
      ${order.paidBy === null && html`<button class="button" name="decision" value="accepted">Accept</button>`}
      <details>
        <summary class="button quiet">Record as refunded…</summary>
        <p>Have you refunded ${priceText(amount)} at the payment provider? This records it, and cannot be undone.</p>
        <button class="button quiet" name="decision" value="refunded">Yes, it is refunded</button>
      </details>
    </div>
  </form>`
}
