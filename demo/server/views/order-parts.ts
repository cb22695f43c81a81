/** Parts of an order's pages: its state, facts, lines, and times. @module */
import type { Line } from '../cart.ts'
import { nameOf, priceText } from '../catalogue.ts'
import { type OrderDetails, type OrderState, orderStates } from '../order-details.ts'
import { type Html, type HtmlValue, html } from './html.ts'

export function badge(state: OrderState): Html {
  return html`<span class="badge ${state}" data-state="${state}">${orderStates[state]}</span>`
}

/** A list of names and values. A fact without a value is left out. */
export function facts(list: Readonly<Record<string, HtmlValue>>): Html {
  const shown = Object.entries(list).filter(([, value]) => value)
  const items = shown.map(
    ([name, value]) => html`<div class="row"><dt>${name}</dt><dd>${value}</dd></div>`,
  )
  return html`<dl class="facts">${items}</dl>`
}

export function orderNumber(id: string): Html {
  return html`<bdi class="order-id" data-testid="order-id">${id}</bdi>`
}

export function linesAndTotal({ lines, order: { amount } }: OrderDetails): Html {
  return html`<ul class="dashed">${lines.map(lineItem)}</ul>
    <p class="row total">
      <span>Total</span>
      <span class="money" data-testid="order-total">${priceText(amount)}</span>
    </p>`
}

function lineItem({ product, quantity, price }: Line): Html {
  return html`<li class="row line" data-product="${product}" data-quantity="${quantity}">
    <img src="/pictures/${product}.svg" alt="" width="56" height="56">
    <div>${nameOf(product)}${quantity > 1 && html`<small class="muted">${quantity} × ${priceText(price)}</small>`}</div>
    <span class="money">${priceText(price * quantity)}</span>
  </li>`
}

/** Closes the order, and moves its lines back into the cart. */
export function editCart(id: string): Html {
  return html`<form class="edit" method="post" action="/orders/${id}/edit"><button class="button quiet" data-testid="edit-cart">Edit cart</button></form>`
}

/** Formats a day, or a time in the shop's time zone: a receipt is read elsewhere, too. */
export function timeText(time: string, timeStyle?: 'short'): string {
  const timeZone = 'Asia/Yerevan'
  const text = new Date(time).toLocaleString('en', { dateStyle: 'medium', timeStyle, timeZone })
  return timeStyle ? `${text} (Yerevan)` : text
}
