/** Parts of an order: its number, state, lines, amounts, and dates. @module */
import { formatMoney } from '@pi-checkout/server'
import type { Line } from '../cart.ts'
import { nameOf } from '../catalogue.ts'
import type { OrderDetails, OrderState } from '../order-details.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Frame } from './layout.ts'

export function orderNumber({ texts }: Frame, { id }: Order): Html {
  return html`<dt>${texts.orderNumber}</dt><dd class="order-id" data-testid="order-id"><bdi>${id}</bdi></dd>`
}

export function linesAndTotal(
  { texts, language }: Frame,
  { lines, order: { amount, currency } }: OrderDetails,
): Html {
  return html`
    <ul class="lines">${lines.map((line) => lineItem(line))}</ul>
    <p class="total">
      <span>${texts.total}</span>
      <span class="money" data-testid="order-total">${formatMoney(amount, currency, language)}</span>
    </p>
  `

  function lineItem({ product, quantity, price }: Line): Html {
    return html`<li class="line" data-product="${product}" data-quantity="${quantity}">
      <img src="/pictures/${product}.svg" alt="" width="56" height="56">
      <div>
        <strong>${nameOf(product, language)}</strong>
        ${quantity > 1 && html`<span class="muted money">${quantity} × ${formatMoney(price, currency, language)}</span>`}
      </div>
      <span class="money">${formatMoney(price * quantity, currency, language)}</span>
    </li>`
  }
}

/** Closes the order, and restores its lines to the cart. */
export function editCart({ texts }: Frame, { id }: Order): Html {
  return html`<form method="post" action="/orders/${id}/edit"><button class="button quiet" data-testid="edit-cart">${texts.changeCart}</button></form>`
}

export function badge({ texts }: Frame, state: OrderState): Html {
  return html`<span class="badge" data-state="${state}">${texts.state[state]}</span>`
}

/** Formats a time in the shop's time zone. */
export function formatTime(
  { language }: Frame,
  time: string,
  options: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'Asia/Yerevan' })
  // The time and its zone stay on one line.
  return format.format(new Date(time)).replace(/ (?=[AP]M|GMT)/g, '\u00a0')
}
