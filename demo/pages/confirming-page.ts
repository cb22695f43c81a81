/** "Confirming your payment": polls the shop's server until it knows the result. The buyer can close it. @module */
import { followPayment, type Phase } from '@pi-checkout/element/client'
import { html, type TemplateResult } from 'lit'
import type { Frame, OrderData } from '../server/page-data.ts'
import { texts } from './language.ts'
import { showOrder } from './order-page.ts'
import { drawPage, turnPage } from './page.ts'
import { request } from './request.ts'

const long = 20_000
/** How long the form's own result remains visible, in milliseconds. */
const atOnce = 300

/** Shows the confirmation as a page that was loaded. */
export async function showConfirming(orderId: string): Promise<void> {
  // Directly: a buyer who has just paid must not see an empty page.
  draw(undefined, orderId, 'asking')
  const asked = askForPhase(orderId)
  const { frame } = await request<OrderData>(`/api/orders/${orderId}`)
  draw(frame, orderId, 'asking')
  await settle(frame, orderId, asked)
}

/**
 * Shows the confirmation in the form's document, without loading a page. The buyer sees it only if the shop
 * does not know the result yet.
 *
 * Uses the addresses of the pages, for reload and Back.
 */
export async function confirmHere({ frame, order }: OrderData): Promise<void> {
  const asked = askForPhase(order.id)
  const known = await Promise.race([asked, pause(atOnce)])
  history.pushState(null, '', `/confirming/${order.id}`)
  addEventListener('popstate', () => location.reload())
  if (known !== 'paid' && known !== 'failed') {
    turnPage()
    draw(frame, order.id, 'asking')
  }
  await settle(frame, order.id, asked)
}

/** Follows the payment until the shop knows the result. */
async function settle(frame: Frame, orderId: string, first: Promise<Phase>): Promise<void> {
  const startedAt = Date.now()
  let phase = await first
  // The answer of the bank may be on its way.
  if (phase === 'open' || phase === 'unknown') phase = await askForPhase(orderId, 3000)
  while (phase !== 'paid' && phase !== 'failed') {
    // Stores in the shop that the bank is processing: the cart is then locked until the result.
    const now = await lookAgain(orderId)
    if (now && now.order.earlierPayments.length > 0) break
    // The bank may be processing a payment for an earlier version of the order.
    if (phase === 'open' && now?.order.state !== 'processing') return draw(frame, orderId, 'open')
    if (Date.now() - startedAt > long) draw(frame, orderId, 'long')
    phase = await askForPhase(orderId, 10_000)
  }
  await showSettled(orderId)
}

async function showSettled(orderId: string): Promise<void> {
  history.replaceState(null, '', `/orders/${orderId}`)
  turnPage()
  await showOrder(orderId)
}

/** Integration 5 of 5: asks the shop, which retrieves the intent and compares it with the order. */
function askForPhase(orderId: string, timeout = 0): Promise<Phase> {
  const query = new URLSearchParams({ orderId })
  return followPayment(`/checkout/status?${query}`, { timeout })
}

/** Settles the order's old intents too: a buyer who paid one must not pay twice. */
async function lookAgain(orderId: string): Promise<OrderData | undefined> {
  return request<OrderData>(`/api/orders/${orderId}/settle`, { body: {} }).catch(() => undefined)
}

function draw(frame: Frame | undefined, orderId: string, phase: 'asking' | 'long' | 'open'): void {
  const [title, text] = {
    asking: [texts.confirmingTitle, texts.confirmingText],
    long: [texts.confirmingLong, texts.confirmingLongText],
    open: [texts.notPaidTitle, texts.notPaidText],
  }[phase] as [string, string]
  const state = phase === 'open' ? 'open' : 'processing'
  drawPage(
    { frame, title, place: 'other' },
    html`<div class="confirming" role="status" data-testid="order-state" data-state=${state}>
      <img class=${phase === 'open' ? '' : 'turning'} src="/pictures/mark.svg" alt="" width="92" height="92">
      <h1>${title}</h1>
      <p class="muted">${text}</p>
      <div class="actions">${phase === 'asking' ? '' : ways(orderId, phase)}</div>
    </div>`,
  )
}

function ways(orderId: string, phase: 'long' | 'open'): TemplateResult {
  const order = html`<a class="button quiet" href="/orders/${orderId}">${texts.seeOrder}</a>`
  if (phase === 'long') return order
  return html`<a class="button" href="/pay/${orderId}">${texts.backToPayment}</a>${order}`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
