/**
 * "Confirming your payment": asks the shop's own server until it knows. Safe to close at any time.
 *
 * @module
 */
import { html, type TemplateResult } from 'lit'
import type { Frame, OrderData } from '../server/page-data.ts'
import { ask } from './ask.ts'
import { openInspector } from './inspector.ts'
import { texts } from './language.ts'
import { showOrder } from './order-page.ts'
import { drawPage, turnPage } from './page.ts'

const long = 20_000
/** So long the form's own result may stay, in milliseconds. */
const atOnce = 300

/** Shows it as the page that was opened. */
export async function showConfirming(orderId: string): Promise<void> {
  // At once: a buyer who has just paid must not look at an empty page.
  draw(undefined, orderId, 'asking')
  const asked = askForState(orderId)
  const { frame } = await ask<OrderData>(`/api/orders/${orderId}`)
  draw(frame, orderId, 'asking')
  if (frame.development) openInspector(orderId)
  await settle(frame, orderId, asked)
}

/**
 * Goes on from the form in the same document: whoever has just paid waits for no page to load, and
 * sees this one only if the shop does not know at once.
 *
 * The addresses are those of the pages, so that a reload and the way back find them.
 */
export async function confirmHere({ frame, order }: OrderData): Promise<void> {
  const asked = askForState(order.id)
  const known = await Promise.race([asked, pause(atOnce)])
  history.pushState(null, '', `/confirming/${order.id}`)
  addEventListener('popstate', () => location.reload())
  if (known !== 'paid' && known !== 'failed') {
    turnPage()
    draw(frame, order.id, 'asking')
  }
  await settle(frame, order.id, asked)
}

/** Asks until the shop knows. */
async function settle(frame: Frame, orderId: string, first: Promise<string>): Promise<void> {
  const started = Date.now()
  let state = await first
  let isNoted = false
  for (let asked = 0; ; asked++) {
    if (state === 'paid' || state === 'failed') return showSettled(orderId)
    if (state === 'processing' ? !isNoted : asked % 3 === 2) {
      // Stores in the shop that the bank is processing: the cart then waits for the result.
      isNoted = state === 'processing'
      const now = await lookAgain(orderId)
      if (now && now.order.strayPayments.length > 0) return showSettled(orderId)
      // A payment for an earlier version of the order may be with the bank.
      const isPending = state === 'processing' || now?.order.state === 'processing'
      if (state === 'open' && !isPending) return draw(frame, orderId, 'open')
    }
    if (Date.now() - started > long) draw(frame, orderId, 'long')
    await pause(Math.min(1000 + asked * 500, 5000))
    state = await askForState(orderId)
  }
}

async function showSettled(orderId: string): Promise<void> {
  history.replaceState(null, '', `/orders/${orderId}`)
  turnPage()
  await showOrder(orderId)
}

/** Integration 5 of 5: asks the shop, which asks the service and compares the answer with the order. */
async function askForState(orderId: string): Promise<string> {
  const query = new URLSearchParams({ orderId })
  const answer = await ask<{ state: string }>(`/checkout/status?${query}`).catch(() => undefined)
  return answer?.state ?? 'unknown'
}

/** Asks for the order's old intents too: a buyer who paid one must not pay twice. */
async function lookAgain(orderId: string): Promise<OrderData | undefined> {
  return ask<OrderData>(`/api/orders/${orderId}/settle`, { body: {} }).catch(() => undefined)
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
