/** The page of a payment: `<pi-checkout>` beside the order. Copy the markup. @module */
import { checkoutLook } from '../checkout.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { editCart, linesAndTotal } from './order-parts.ts'

export function payPage(details: OrderDetails): Page {
  const { id } = details.order
  const { locale, appearance } = checkoutLook
  const content = html`
    <h1>Payment</h1>
    <div class="columns">
      <div class="stack">
        <pi-checkout data-testid="checkout" base-path="/checkout" order-id="${id}"
          locale="${locale}" data-appearance="${JSON.stringify(appearance)}">
          <p class="idle muted">Loading the payment form…</p>
          <noscript>The payment form needs JavaScript. The separate page of the payment service may, too.</noscript>
          ${fullPageForm(id, html` slot="page"`)}
        </pi-checkout>
        <p class="muted small">Card details go straight to the payment service. This shop never sees them.</p>
        <div class="other-way">${fullPageForm(id)}</div>
      </div>
      <section class="card stack" aria-labelledby="your-order">
        <div class="row dashed"><h2 id="your-order">Your order</h2>${editCart(id)}</div>
        ${linesAndTotal(details)}
      </section>
    </div>
  `
  return {
    title: 'Payment',
    isPayment: true,
    content,
    intentId: details.payments.at(-1)?.intentId,
  }
}

/** Leads to the hosted page as a separate page. Needs no script. */
function fullPageForm(orderId: string, slot?: Html): Html {
  return html`<form${slot} method="post" action="/checkout/start">
    <input type="hidden" name="orderId" value="${orderId}">
    <input type="hidden" name="locale" value="${checkoutLook.locale}">
    <button class="${slot ? 'button quiet' : 'link'}">Pay on a separate page</button>
  </form>`
}
