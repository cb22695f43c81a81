/** The orders of this session, the newest first. @module */
import { html, type TemplateResult } from 'lit'
import type { OrdersData } from '../server/page-data.ts'
import { texts } from './language.ts'
import { blank, drawPage } from './page.ts'
import { request } from './request.ts'

export async function showOrders(): Promise<void> {
  const { frame, orders } = await request<OrdersData>('/api/orders')
  const { ordersTitle: title, ordersEmpty, ordersEmptyText: text } = texts
  const link = html`<a class="button" href="/">${texts.browse}</a>`
  const content =
    orders.length > 0
      ? html`<h1>${title}</h1><ul class="order-list">${orders.map(orderCard)}</ul>`
      : blank({ title: ordersEmpty, text, picture: 'gavar-blanket' }, link)
  drawPage({ frame, title, place: 'orders' }, content)
}

function orderCard({
  id,
  state,
  amount,
  placedAt,
  products,
}: OrdersData['orders'][number]): TemplateResult {
  return html`<li><a class="order-card" href="/orders/${id}">
    <span class="stack">
      ${products
        .slice(0, 4)
        .map((product) => html`<img src="/pictures/${product}.svg" alt="" width="52" height="52">`)}
    </span>
    <span class="what">
      <span>${placedAt}</span>
      <span class="muted">${texts.moreThings(products.length)}</span>
    </span>
    <span class="badge" data-state=${state}>${texts.state[state]}</span>
    <span class="money">${amount}</span>
  </a></li>`
}
