/** For the staff: payments that don't pay for their orders. @module */
import type { Payment, ReviewReason } from '@pi-checkout/server'
import { priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { badge, facts, orderNumber, timeText } from './order-parts.ts'

const reasons: Readonly<Record<ReviewReason, string>> = {
  duplicate: 'Another payment pays for the order',
  earlier_version: 'The order changed after the payment began',
  rejected: 'The order could not be marked as paid',
  mismatch: 'The service returned another order or amount',
  order_not_found: 'The buyer has closed the order',
}

export function staffPage(orders: readonly OrderDetails[]): Page {
  const title = 'Payments under review'
  const text =
    orders.length > 0
      ? 'Accept a payment for its order. Or refund it at the payment provider, then record it here.'
      : 'None. A payment for a closed order, or a second one for an order, is listed within two minutes.'
  const content = html`<div class="order stack">
    <h1>${title}</h1>
    <p class="muted">${text}</p>
    ${orders.map((details) => details.underReview.map((payment) => decision(details, payment)))}
  </div>`
  return { title, content, intentId: orders[0]?.underReview[0]?.intentId }
}

function decision({ order, state }: OrderDetails, payment: Payment): Html {
  const { intentId, amount, createdAt, reason } = payment
  return html`<form class="card stack" method="post" action="/staff" data-testid="review">
    ${facts({
      Order: orderNumber(order.id),
      State: badge(state),
      'Order total': priceText(order.amount),
      Payment: html`<bdi class="intent-id">${intentId}</bdi>`,
      Amount: html`<strong class="money">${priceText(amount)}</strong>`,
      Created: timeText(createdAt, 'short'),
      Reason: reasons[reason as ReviewReason],
    })}
    <input type="hidden" name="orderId" value="${order.id}">
    <input type="hidden" name="intentId" value="${intentId}">
    <div class="row actions">
      ${order.paidBy === null && html`<button class="button" name="decision" value="accepted">Accept</button>`}
      <button class="button quiet" name="decision" value="refunded">Record as refunded</button>
    </div>
  </form>`
}
