/**
 * The order page: open, processing, paid (the receipt), or failed.
 *
 * The state comes from the shop's server only, never from the address.
 *
 * @module
 */
import { html, type TemplateResult } from 'lit'
import type { OrderData } from '../server/page-data.ts'
import { texts } from './language.ts'
import { badge, earlierPayments, orderSummary } from './order-summary.ts'
import { drawPage } from './page.ts'
import { request } from './request.ts'

export async function showOrder(orderId: string): Promise<void> {
  const data = await request<OrderData>(`/api/orders/${orderId}`)
  draw(data)
  const { state, handedOff } = data.order
  if (!handedOff || state === 'paid' || state === 'failed') return
  // The buyer may have closed the tab too early: the shop retrieves the intent again.
  draw(await request<OrderData>(`/api/orders/${orderId}/settle`, { body: {} }))
}

function draw({ frame, order }: OrderData): void {
  const { title, text, actions } = partsOf(order)
  drawPage(
    { frame, title, place: 'other' },
    html`<div class="order">
      ${earlierPayments(order)}
      <div class="order-head">
        ${badge(order.state)}
        <h1>${title}</h1>
        <p>${text}</p>
      </div>
      <div class="actions">${actions}</div>
      ${orderSummary(order, html`<div><h2>Tsiran</h2><p class="seller">${texts.seller}</p></div><img src="/pictures/mark.svg" alt="" width="34" height="34">`)}
    </div>`,
  )
}

interface Parts {
  readonly title: string
  readonly text: string
  readonly actions: TemplateResult
}

function partsOf({ id, state, payable }: OrderData['order']): Parts {
  const checkout = `/pay/${id}`
  const cart = html`<a class="button quiet" href="/cart">${texts.changeCart}</a>`
  switch (state) {
    case 'paid':
      return {
        title: texts.paidTitle,
        text: texts.paidText,
        actions: html`<button class="button quiet" @click=${() => print()}>${texts.print}</button>
          <a class="button quiet" href="/">${texts.keepShopping}</a>`,
      }
    case 'processing':
      return {
        title: texts.processingTitle,
        text: texts.processingText,
        actions: html`<a class="button" href="/confirming/${id}">${texts.seeProgress}</a>`,
      }
    case 'failed':
      return {
        title: texts.failedTitle,
        text: texts.failedText,
        actions: payable
          ? html`<a class="button" data-testid="try-again" href=${checkout}>${texts.tryAgain}</a>${cart}`
          : cart,
      }
    case 'open':
      return {
        title: texts.openTitle,
        text: texts.openText,
        actions: payable
          ? html`<a class="button" data-testid="pay-now" href=${checkout}>${texts.payNow}</a>${cart}`
          : cart,
      }
  }
}
