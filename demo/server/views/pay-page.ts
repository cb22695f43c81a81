/** The page of a payment: `<pi-checkout>` beside the order. Copy the markup. @module */
import { checkoutLook } from '../checkout.ts'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Page } from './layout.ts'
import { editCart, linesAndTotal } from './order-parts.ts'

export function payPage(details: OrderDetails): Page {
  const { order, payments } = details
  const { locale, appearance } = checkoutLook
  const content = html`
    <h1>Payment</h1>
    <div class="stack columns payment">
      <pi-checkout data-testid="checkout" base-path="/checkout" order-id="${order.id}"
        locale="${locale}" data-appearance="${JSON.stringify(appearance)}">
        <p class="idle muted">Loading the payment form…</p>
        <noscript>The payment form needs JavaScript. The separate page of the payment service may, too.</noscript>
        ${fullPageForm(order.id, html` slot="page"`)}
      </pi-checkout>
      <div class="row other-way small">
        <span class="muted">Card details go straight to the payment service.</span>
        ${fullPageForm(order.id)}
      </div>
      <section class="card stack" aria-labelledby="your-order">
        <div class="row"><h2 id="your-order">Your order</h2>${editCart(order.id)}</div>
        ${linesAndTotal(details)}
      </section>
    </div>
  `
  return { title: 'Payment', content, isPayment: true, intentId: payments.at(-1)?.intentId }
}

/** Leads to the hosted page as a separate page. Needs no script. */
function fullPageForm(orderId: string, slot?: Html): Html {
  return html`<form${slot} method="post" action="/checkout/start">
    <input type="hidden" name="orderId" value="${orderId}">
    <input type="hidden" name="locale" value="${checkoutLook.locale}">
    <button class="${slot ? 'button quiet' : 'link'}">Pay on a separate page</button>
  </form>`
}
