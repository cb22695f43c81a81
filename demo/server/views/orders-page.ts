/** The orders of this session, the newest first. @module */
import { nameOf, priceText } from '../catalogue.ts'
import { isPayable, type OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { message } from './message-page.ts'
import { badge, orderNumber, timeText } from './order-parts.ts'

export function ordersPage(orders: readonly OrderDetails[]): Page {
  const title = orders.length > 0 ? 'Your orders' : 'No orders yet'
  const text = 'What you order from this browser will be listed here.'
  const content =
    orders.length > 0
      ? html`<h1>${title}</h1><ul class="orders stack">${orders.map(orderCard)}</ul>`
      : message({ title, text, picture: 'gavar-blanket' })
  const isWaiting = orders.some(({ state }) => state === 'processing')
  return { title, place: 'orders', content, isWaiting }
}

function orderCard(details: OrderDetails): Html {
  const { order, lines, state } = details
  const { id, amount, placedAt } = order
  const names = lines.map(({ product, quantity }) =>
    quantity > 1 ? `${nameOf(product)} × ${quantity}` : nameOf(product),
  )
  return html`<li class="card row order-card">
    <img src="/pictures/${lines[0]?.product}.svg" alt="" width="72" height="72">
    <div>
      <h2><a href="/orders/${id}">${names.join(', ')}</a></h2>
      <small class="muted">${orderNumber(id)} · ${timeText(placedAt)}</small>
    </div>
    ${badge(state)}
    <span class="money strong">${priceText(amount)}</span>
    ${
      isPayable(details)
        ? html`<a class="button" href="/pay/${id}" aria-label="Pay: ${id}">Pay</a>`
        : html`<a class="button quiet" href="/orders/${id}" aria-label="View: ${id}">View</a>`
    }
  </li>`
}
