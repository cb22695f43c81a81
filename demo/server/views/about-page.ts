/** How this shop takes payments: the files to copy. @module */
import { html } from './html.ts'
import type { Page } from './layout.ts'

export function aboutPage(): Page {
  const title = 'How this shop takes payments'
  const content = html`<div class="order stack">
    <h1>${title}</h1>
    <p>Copy two files of this repository into your shop. This shop never sees a card, and an order is paid only after the shop has asked the service.</p>
    <section class="card stack">
      <h2>demo/server/checkout.ts</h2>
      <p>For your server: who may pay for an order, what it costs, and what happens when it is paid. It also sets the language and the colors of the payment form.</p>
    </section>
    <section class="card stack">
      <h2>demo/server/views/pay-page.ts</h2>
      <p>For your page: the markup of <code>&lt;pi-checkout&gt;</code>, which shows the form and then the result. It includes the way to pay without JavaScript.</p>
    </section>
  </div>`
  return { title, content }
}
