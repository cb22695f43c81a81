/** The orders of this session, the newest first. @module */
import { formatMoney } from '@pi-checkout/server'
import type { Line } from '../cart.ts'
import { nameOf } from '../catalogue.ts'
import { isUnsettled, type OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { blank } from './message-page.ts'
import { badge, formatTime } from './order-summary.ts'

export function ordersPage(frame: Frame, orders: readonly OrderDetails[]): Page {
  const { ordersTitle: title, ordersEmpty, ordersEmptyText: text, browse } = frame.texts
  const link = html`<a class="button" href="/">${browse}</a>`
  const followed = new Set(orders.filter(isUnsettled).slice(0, mostFollowed))
  const content =
    orders.length > 0
      ? html`<h1>${title}</h1>
        <ul class="order-list">${orders.map((listed) => orderCard(frame, listed, followed.has(listed)))}</ul>`
      : blank({ title: ordersEmpty, text, picture: 'gavar-blanket' }, link)
  return { title, place: 'orders', content }
}

const picturesShown = 4

/** Orders whose payments the page lets the shop check. */
const mostFollowed = 5

function orderCard(frame: Frame, details: OrderDetails, isFollowed: boolean): Html {
  const { language, texts } = frame
  const { order, lines, state } = details
  const { id, amount, currency, placedAt } = order
  const more = lines.length - picturesShown
  return html`<li${isFollowed && html` data-follow="${id}"`}><a class="order-card" href="/orders/${id}">
    <span class="stack">
      ${lines
        .slice(0, picturesShown)
        .map(
          ({ product }) => html`<img src="/pictures/${product}.svg" alt="" width="52" height="52">`,
        )}
      ${more > 0 && html`<span class="more" aria-hidden="true">+${more}</span>`}
    </span>
    <span class="what">
      <strong>${lines.map((line) => itemName(line, frame)).join(', ')}</strong>
      <span class="muted">
        <span>${texts.orderNumber} <bdi class="order-id">${id}</bdi></span>
        <span>${formatTime(frame, placedAt)}</span>
      </span>
    </span>
    ${badge(frame, state)}
    <span class="money">${formatMoney(amount, currency, language)}</span>
  </a></li>`
}

function itemName({ product, quantity }: Line, { language }: Frame): string {
  const name = nameOf(product, language)
  return quantity > 1 ? `${name} × ${quantity}` : name
}
