/** The orders of this session, the newest first. @module */
import { nameOf, priceText } from '../catalogue.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { message } from './message-page.ts'
import { badge, timeText } from './order-parts.ts'

export function ordersPage(orders: readonly OrderDetails[]): Page {
  const title = orders.length > 0 ? 'Your orders' : 'No orders yet'
  const text = 'What you order from this browser will be listed here.'
  const content =
    orders.length > 0
      ? html`<div class="stack"><h1>${title}</h1>${orders.map(orderCard)}</div>`
      : message({ title, text, picture: 'gavar-blanket' })
  const isWaiting = orders.some(({ state }) => state === 'processing')
  return { title, place: 'orders', content, isWaiting }
}

function orderCard({ order, lines, state }: OrderDetails): Html {
  const { id, amount, placedAt } = order
  const names = lines.map(({ product, quantity }) =>
    quantity > 1 ? `${nameOf(product)} × ${quantity}` : nameOf(product),
  )
  return html`<a class="card row order-card" href="/orders/${id}">
    <img src="/pictures/${lines[0]?.product}.svg" alt="" width="56" height="56">
    <span>
      <strong>${names.join(', ')}</strong><br>
      <small class="muted"><bdi class="order-id">${id}</bdi> · ${timeText(placedAt)}</small>
    </span>
    ${badge(state)}
    <span class="money strong">${priceText(amount)}</span>
  </a>`
}
