/**
 * The checkout: the order beside the hosted form. Two values come from the shop's server, no result
 * comes out of the form.
 *
 * @module
 */

import { configureCheckout } from '@pi-checkout/element'
import { checkoutOrigin } from '/checkout-origin.js'
import '@pi-checkout/element/define'
import { html, nothing, type TemplateResult } from 'lit'
import type { OrderData } from '../server/page-data.ts'
import { AskError, ask } from './ask.ts'
import { confirmHere } from './confirming-page.ts'
import { openInspector } from './inspector.ts'
import { texts } from './language.ts'
import { drawPage, goOn } from './page.ts'
import { linesAndTotal, strayPayments } from './slip.ts'

export async function showCheckout(orderId: string): Promise<void> {
  const data = await ask<OrderData>(`/api/orders/${orderId}`)
  draw(data, { trouble: undefined, changed: takeChangedNote() })
  if (data.frame.development) openInspector(orderId)
  document.addEventListener('visibilitychange', () => {
    const atForm = document.querySelector('pi-checkout') !== null
    if (atForm && document.visibilityState === 'visible') void followChange(data)
  })
  await mount(data)
}

configureCheckout({ origin: checkoutOrigin })

/** Integration 4 of 5: asks the shop's own server for the two values, and gives them to the element. */
async function mount(data: OrderData): Promise<void> {
  const orderId = data.order.id
  const pay = document.querySelector('pi-checkout')
  if (!pay) return
  // Hints without a result: what comes next asks the server.
  const leave = () => void goOn(() => confirmHere(data))
  pay.addEventListener('pi-finish', leave)
  pay.addEventListener('pi-cancel', leave)
  // The pair is not taken any more: the server knows whether that is because it was paid.
  pay.addEventListener('pi-error', ({ error }) => error.code === 'unauthorized' && leave())
  try {
    const { id, clientSecret } = await ask<Handoff>('/checkout/handoff', { body: { orderId } })
    Object.assign(pay, { intentId: id, clientSecret })
  } catch (error) {
    await followChange(data)
    draw(data, { trouble: error, changed: false })
  }
}

interface Handoff {
  readonly id: string
  readonly clientSecret: string
}

interface Notes {
  readonly trouble: unknown
  readonly changed: boolean
}

function draw({ frame, order }: OrderData, { trouble, changed }: Notes): void {
  drawPage(
    { frame, title: texts.checkoutTitle, place: 'other' },
    html`
      ${strayPayments(order)}
      ${changed ? html`<p class="notice" role="status">${texts.orderChanged}</p>` : nothing}
      <h1>${texts.checkoutTitle}</h1>
      <div class="checkout">
        <div>
          <div class="pay">
            <pi-checkout data-testid="checkout">${trouble ? apology(trouble) : waiting()}</pi-checkout>
          </div>
          <p class="assurance">${lock}<span>${texts.assurance}</span></p>
        </div>
        <section class="slip" aria-labelledby="your-order">
          <div class="slip-head"><h2 id="your-order">${texts.yourOrder}</h2></div>
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

function apology(trouble: unknown): TemplateResult {
  const often = trouble instanceof AskError && trouble.status === 429
  return html`<div class="idle" role="alert">
    <h2>${texts.cannotPrepare}</h2>
    <p class="muted">${often ? texts.tooMany : texts.cannotPrepareText}</p>
    <button class="button" @click=${() => location.reload()}>${texts.again}</button>
  </div>`
}

/** Another tab may have paid or changed the order, or the cart: the buyer must not pay for it as it was. */
async function followChange({ order }: OrderData): Promise<void> {
  const now = await ask<OrderData>(`/api/orders/${order.id}`).catch(() => undefined)
  if (!now) return
  const { state, payable } = now.order
  // The shop then leads to the receipt, to the pending payment or to the cart.
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
