/** How this shop takes payments: the steps, and the files to copy. @module */
import { html } from './html.ts'
import type { Page } from './layout.ts'

export function aboutPage(): Page {
  const title = 'How this shop takes payments'
  const content = html`<div class="narrow stack">
    <h1>${title}</h1>
    <ol class="stack">
      <li>“Check out” makes an order with fixed items and a fixed price. The shop’s server creates a payment of that amount at the payment service.</li>
      <li>The payment page shows the service’s form. Card details go straight to the service, and the shop never sees them.</li>
      <li>The shop’s server asks the service whether the payment was made. Only then does it mark the order as paid. What a page says proves nothing.</li>
    </ol>
    <h2>Files to copy</h2>
    <p>For your server, <code>demo/server/checkout.ts</code> decides who may pay for an order, what it costs, and what happens when it is paid. It also sets the language and the colors of the payment form.</p>
    <p>For your page, <code>demo/server/views/pay-page.ts</code> has the markup of <code>&lt;pi-checkout&gt;</code>, which shows the form and then the result. It includes the way to pay without JavaScript.</p>
    <p>If payments go to review, copy <code>demo/server/staff.ts</code> too: the staff decides about them.</p>
  </div>`
  return { title, content }
}
