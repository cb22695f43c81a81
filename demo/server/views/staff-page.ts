/** For the staff: payments that don't pay for their orders. @module */
import type { Payment } from '@pi-checkout/server'
import { priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { messagePage } from './message-page.ts'
import { facts, reasonText, timeText } from './order-parts.ts'

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
    <p>${reasonText(reason)}</p>
    ${facts({
      Received: priceText(amount),
      'Order total': priceText(order.amount),
      'Payment created': timeText(createdAt),
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
