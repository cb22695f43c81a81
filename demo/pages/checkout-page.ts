/**
 * The checkout page: the order next to the hosted form. The shop's server provides id and secret. The form
 * returns no result.
 *
 * @module
 */

import { defineCheckout } from '@pi-checkout/element'
import { HandoffError, postHandoff } from '@pi-checkout/element/client'
import { html, nothing, type TemplateResult } from 'lit'
import { checkoutOrigin } from '/checkout-origin.js'
import type { OrderData } from '../server/page-data.ts'
import { confirmHere } from './confirming-page.ts'
import { texts } from './language.ts'
import { earlierPayments, linesAndTotal } from './order-summary.ts'
import { drawPage, goOn } from './page.ts'
import { request } from './request.ts'

export async function showCheckout(orderId: string): Promise<void> {
  const data = await request<OrderData>(`/api/orders/${orderId}`)
  draw(data, { trouble: undefined, changed: takeChangedNote() })
  document.addEventListener('visibilitychange', () => {
    const atForm = document.querySelector('pi-checkout') !== null
    if (atForm && document.visibilityState === 'visible') void followChange(data)
  })
  mount(data)
}

defineCheckout({
  checkoutOrigin,
  // The shop's colors, so that the form looks like a part of this page.
  appearance: {
    accent: { light: '#ad4318', dark: '#f19a58' },
    background: { light: '#fffdf9', dark: '#231d19' },
    text: { light: '#2a2019', dark: '#f3eadf' },
    radius: 12,
  },
})

/** Integration 4 of 5: lets the element request the handoff from the shop's server, and leaves when it ends. */
function mount(data: OrderData): void {
  const orderId = data.order.id
  const pay = document.querySelector('pi-checkout')
  if (!pay) return
  // Events without a result: the next page asks the server.
  const leave = () => void goOn(() => confirmHere(data))
  pay.addEventListener('pi-finish', leave)
  pay.addEventListener('pi-cancel', leave)
  pay.addEventListener('pi-error', async ({ error }) => {
    // The checkout rejects id and secret: the server knows whether the order was paid.
    if (error.code === 'unauthorized') leave()
    if (error.code !== 'handoff_failed') return
    await followChange(data)
    draw(data, { trouble: error.cause, changed: false })
  })
  pay.fetchHandoff = (options) => postHandoff('/checkout/handoff', { ...options, orderId })
}

interface Notes {
  readonly trouble: unknown
  readonly changed: boolean
}

function draw({ frame, order }: OrderData, { trouble, changed }: Notes): void {
  drawPage(
    { frame, title: texts.checkoutTitle, place: 'other' },
    html`
      ${earlierPayments(order)}
      ${changed ? html`<p class="notice" role="status">${texts.orderChanged}</p>` : nothing}
      <h1>${texts.checkoutTitle}</h1>
      <div class="checkout">
        <div>
          <div class="pay">
            <pi-checkout data-testid="checkout">${trouble ? errorMessage(trouble) : waiting()}</pi-checkout>
          </div>
          <p class="assurance">${lock}<span>${texts.assurance}</span></p>
        </div>
        <section class="summary" aria-labelledby="your-order">
          <div class="summary-head"><h2 id="your-order">${texts.yourOrder}</h2></div>
          <dl class="facts">
            <dt>${texts.orderNumber}</dt><dd class="order-id" data-testid="order-id"><bdi>${order.id}</bdi></dd>
          </dl>
          ${linesAndTotal(order.lines, order.amount)}
          <p class="aside"><a href="/cart">${texts.changeCart}</a></p>
        </section>
      </div>
    `,
  )
}

function waiting(): TemplateResult {
  return html`<p class="idle muted">${texts.preparing}</p>`
}

/** Replaces the element's text. Its button requests the handoff again. */
function errorMessage(trouble: unknown): TemplateResult {
  const often = trouble instanceof HandoffError && trouble.status === 429
  return html`<div slot="error">
    <h2>${texts.cannotPrepare}</h2>
    <p class="muted">${often ? texts.tooMany : texts.cannotPrepareText}</p>
  </div>`
}

/** Another tab may have paid or changed the order or the cart: the buyer must not pay an earlier version. */
async function followChange({ order }: OrderData): Promise<void> {
  const now = await request<OrderData>(`/api/orders/${order.id}`).catch(() => undefined)
  if (!now) return
  const { state, payable } = now.order
  // The shop redirects to the receipt, to the pending payment, or to the cart.
  if (state === 'paid' || !payable) return location.reload()
  if (JSON.stringify(now.order.lines) === JSON.stringify(order.lines)) return
  sessionStorage.setItem(changedNote, order.id)
  location.reload()
}

const changedNote = 'order-changed'

function takeChangedNote(): boolean {
  const changed = sessionStorage.getItem(changedNote) !== null
  sessionStorage.removeItem(changedNote)
  return changed
}

const lock = html`<svg width="18" height="18" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true">
  <rect x="4" y="10" width="16" height="11" rx="2.5" /><path d="M8 10V7a4 4 0 0 1 8 0v3" />
</svg>`
