/** Parts of an order's pages: facts, lines, and times. @module */
import type { Payment, ReviewReason } from '@pi-checkout/server'
import type { Line } from '../cart.ts'
import { nameOf, priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, type HtmlValue, html } from './html.ts'

/** A list of names and values. A fact without a value is left out. */
export function facts(list: Readonly<Record<string, HtmlValue>>): Html {
  const items = Object.entries(list).map(([name, value]) => {
    return value && html`<div class="row"><dt>${name}</dt><dd>${value}</dd></div>`
  })
  return html`<dl>${items}</dl>`
}

export function linesAndTotal({ lines, order: { amount } }: OrderDetails): Html {
  return html`<ul>${lines.map(lineItem)}</ul>
    <p class="row total">
      Total <strong class="money" data-testid="order-total">${priceText(amount)}</strong>
    </p>`
}

function lineItem({ product, quantity, price }: Line): Html {
  const each = quantity > 1 && html`<small class="muted">${quantity} × ${priceText(price)}</small>`
  return html`<li class="line">
    <img src="/pictures/${product}.svg" alt="" width="56" height="56">
    <div class="row"><span>${nameOf(product)} ${each}</span><span class="money">${priceText(price * quantity)}</span></div>
  </li>`
}

/** Closes the order, and moves its lines back into the cart. */
export function editCart(id: string): Html {
  return html`<form class="edit" method="post" action="/orders/${id}/edit"><button class="button quiet" data-testid="edit-cart">Edit order</button></form>`
}

const reasons: Readonly<Record<ReviewReason, string>> = {
  duplicate: 'Another payment pays for the order.',
  earlier_version: 'The order changed after the payment began.',
  rejected: 'The order could not be marked as paid.',
  mismatch: 'The payment is for another order or amount.',
  order_not_found: 'The order was closed before the payment arrived.',
}

/** Returns why a payment is under review. */
export function reasonText(reason: Payment['reason']): string {
  return reasons[reason as ReviewReason]
}

/** Formats a time as the shop's clocks show it. */
export function timeText(time: string): string {
  const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Yerevan' } as const
  return new Date(time).toLocaleString('en', format)
}
