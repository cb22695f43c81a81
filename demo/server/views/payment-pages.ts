/** The page of a payment: the order next to the hosted checkout. @module */
import { formatMoney } from '@pi-checkout/server'
import { appearance } from '../checkout.ts'
import type { OrderDetails } from '../order-details.ts'
import type { Order } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { editCart, linesAndTotal } from './order-summary.ts'

export function payPage(frame: Frame, details: OrderDetails): Page {
  const { texts, language, checkoutOrigin } = frame
  const { order } = details
  const content = html`
    <h1>${texts.checkoutTitle}</h1>
    <div class="checkout">
      <div>
        <div class="pay">
          <pi-checkout id="checkout" data-testid="checkout" base-path="/checkout" order-id="${order.id}" locale="${language}"
            data-origin="${checkoutOrigin}" data-appearance="${JSON.stringify(appearance)}">
            <p class="idle muted">${texts.preparing}</p>
            <noscript>
              <h2>${texts.needsScript}</h2>
              <p class="muted">${texts.allowScript(frame.shopOrigin, checkoutOrigin)}</p>
            </noscript>
            ${fullPageForm(frame, order, { slot: html` slot="page"`, look: 'button quiet' })}
          </pi-checkout>
        </div>
        <p class="assurance muted">${lock}<span>${texts.assurance}</span></p>
        <div class="other-way">${fullPageForm(frame, order, { look: 'link' })}</div>
      </div>
      <section class="summary" aria-labelledby="your-order">
        <input class="hidden-text" id="show-order" type="checkbox">
        <div class="summary-head">
          <h2 id="your-order"><label for="show-order">${texts.yourOrder}</label></h2>
          <span class="brief money">${formatMoney(order.amount, order.currency, language)}</span>
          <div class="aside">${editCart(frame, order)}</div>
        </div>
        ${linesAndTotal(frame, details)}
      </section>
    </div>
  `
  return { title: texts.checkoutTitle, place: 'payment', content }
}

/** Leads to the hosted page as a separate page. Needs no script. */
function fullPageForm(
  { texts, language }: Frame,
  { id }: Order,
  { slot, look }: { readonly slot?: Html; readonly look: string },
): Html {
  return html`<form${slot} method="post" action="/checkout/start">
    <input type="hidden" name="orderId" value="${id}">
    <input type="hidden" name="locale" value="${language}">
    <button class="${look}">${texts.fullPage}</button>
  </form>`
}

const lock = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
  <rect x="4" y="10" width="16" height="11" rx="2.5" /><path d="M8 10V7a4 4 0 0 1 8 0v3" />
</svg>`
