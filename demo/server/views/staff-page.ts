/** For the staff: payments that don't pay for their orders. @module */
import type { Payment, ReviewReason } from '@pi-checkout/server'
import { priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { messagePage } from './message-page.ts'
import { facts, timeText } from './order-parts.ts'

const reasons: Readonly<Record<ReviewReason, string>> = {
  duplicate: 'Another payment pays for the order.',
  earlier_version: 'The order changed after the payment began.',
  rejected: 'The order could not be marked as paid.',
  mismatch: 'The service returned another order or amount.',
  order_not_found: 'The buyer closed the order before the payment arrived.',
}

export function staffPage(orders: readonly OrderDetails[], inspectorUrl: string | undefined): Page {
  if (orders.length === 0) {
    return messagePage({
      title: 'No payments to review',
      text: 'If an order is paid twice, or after it was closed, you decide here.',
      picture: 'coffee-cups',
    })
  }
  const title = 'Payments under review'
  const decisions = orders.map(({ order, underReview }) => {
    return underReview.map((payment) => decision(order, payment, inspectorUrl))
  })
  const content = html`<div class="narrow stack">
    <h1>${title}</h1>
    ${decisions}
  </div>`
  return { title, content }
}

const accept = html`<div class="row">
  <span>Or accept it: the order becomes paid.</span>
  <button class="button quiet" name="decision" value="accepted" formnovalidate>Accept the payment</button>
</div>`

function decision(
  order: Order,
  { intentId, amount, createdAt, reason }: Payment,
  inspectorUrl: string | undefined,
): Html {
  const shown = inspectorUrl && html`href="${inspectorUrl}#/intents/${intentId}"`
  return html`<form class="card stack" method="post" action="/staff" data-testid="review">
    <h2>Order ${order.id}</h2>
    <p>${reasons[reason as ReviewReason]}</p>
    ${facts({
      Received: priceText(amount),
      'Order total': priceText(order.amount),
      Created: timeText(createdAt),
      Payment: html`<a ${shown} target="_blank" rel="noopener">${intentId}</a>`,
    })}
    <input type="hidden" name="orderId" value="${order.id}">
    <input type="hidden" name="intentId" value="${intentId}">
    <div class="row">
      <label><input type="checkbox" required> I refunded ${priceText(amount)} at the payment provider.</label>
      <button class="button quiet" name="decision" value="refunded">Record the refund</button>
    </div>
    ${order.paidBy === null && accept}
  </form>`
}
