/** The order in each of its states. A paid one is the receipt. @module */
import { priceText } from '../catalogue.ts'
import { isPayable, type OrderDetails, type OrderState } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { editCart, facts, linesAndTotal, reasonText, timeText } from './order-parts.ts'

const texts: Readonly<Record<OrderState, readonly [title: string, text: string]>> = {
  open: ['Your order is not paid yet', 'We saved it. Pay to complete the order.'],
  processing: [
    'Your bank is processing the payment',
    'Don’t pay again. You can leave, and come back to this page for the result.',
  ],
  paid: ['Thank you for your order', 'We received your payment. This page is your receipt.'],
  failed: ['The payment didn’t go through', 'You were not charged. You can try again.'],
  canceled: ['You canceled the payment', 'You were not charged. You can pay for the order later.'],
  refunded: ['We refunded your payment', 'You can pay for the order again.'],
  review: [
    'We are checking your payment',
    'We will complete the order or refund you, and this page will show it. Please don’t pay again.',
  ],
  closed: ['This order is closed', 'You moved its items back to your cart.'],
}

export function orderPage(details: OrderDetails): Page {
  const { order, state, underReview, payments } = details
  const [title, text] = texts[state]
  const amounts = underReview.map(({ amount }) => priceText(amount)).join(', ')
  const others = state !== 'review' && amounts && ` We are also checking a payment of ${amounts}.`
  const why = state === 'review' && `${reasonText(underReview[0]?.reason)} `
  const isOpen = isPayable(details) || state === 'closed'
  const actions = html`<div class="row actions">${actionsOf(details)}</div>`
  const content = html`<div class="narrow stack">
    <div class="stack" data-testid="order-state" data-state="${state}">
      <h1>${title}</h1>
      <p class="muted">${why}${text}${others}</p>
    </div>
    ${isOpen && actions}
    <section class="card stack" aria-labelledby="order">
      <h2 id="order">Order ${order.id}</h2>
      ${facts({
        Shop: 'Tsiran, Yerevan, Armenia',
        Placed: timeText(order.placedAt),
        Paid: order.paidAt && timeText(order.paidAt),
        Received: state === 'review' && html`<span class="money">${amounts}</span>`,
      })}
      ${linesAndTotal(details)}
    </section>
    ${!isOpen && actions}
  </div>`
  return { title, content, isWaiting: state === 'processing', intentId: payments.at(-1)?.intentId }
}

function actionsOf(details: OrderDetails): Html {
  const { id } = details.order
  if (details.state === 'closed') return html`<a class="button" href="/cart">Back to the cart</a>`
  if (!isPayable(details)) return html`<a class="button quiet" href="/">Keep shopping</a>`
  return html`<a class="button" data-testid="pay-now" href="/pay/${id}">Pay for this order</a>${editCart(id)}`
}
