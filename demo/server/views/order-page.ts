/** The order: open, processing, paid (the receipt), failed, or canceled. @module */
import type { OrderDetails } from '../order-intents.ts'
import type { OrderState } from '../orders.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { badge, earlierPayments, formatTime, linesAndTotal, orderNumber } from './order-summary.ts'

export function orderPage(frame: Frame, details: OrderDetails): Page {
  const { state } = details.order
  const [title, text, actions] = partsOf(frame, details)
  const content = html`<div class="order">
    ${earlierPayments(frame, details)}
    <div class="order-head" role="status" data-testid="order-state" data-state="${state}">
      ${title !== frame.texts.state[state] && badge(frame, details.order)}
      <h1 tabindex="-1">${title}</h1>
      <p class="muted">${text}</p>
    </div>
    <div class="actions">${actions}</div>
    ${isUnsettled(details) && settleForm(details)}
    ${receipt(frame, details)}
  </div>`
  return { title, content }
}

/** The buyer may have closed the tab too early: the page lets the shop retrieve the intents again. */
function settleForm({ order: { id } }: OrderDetails): Html {
  return html`<form method="post" action="/orders/${id}/settle" data-stay data-now hidden></form>`
}

function isUnsettled({ order: { state }, handedOff }: OrderDetails): boolean {
  return handedOff && (state === 'open' || state === 'processing')
}

function receipt(frame: Frame, details: OrderDetails): Html {
  const { texts } = frame
  const { id, placedAt, paidAt, paidWith } = details.order
  return html`<section class="summary" aria-label="${texts.orderNumber} ${id}">
    <div class="summary-head">
      <div><h2>Tsiran</h2><p class="seller muted">${texts.seller}</p></div>
      <img src="/pictures/mark.svg" alt="" width="34" height="34">
    </div>
    <dl class="facts">
      ${orderNumber(frame, details.order)}
      <dt>${texts.placedAt}</dt><dd>${formatTime(frame, placedAt)}</dd>
      ${paidAt && html`<dt>${texts.paidAt}</dt><dd>${formatTime(frame, paidAt)}</dd>`}
      ${paidWith && html`<dt>${texts.paidWith}</dt><dd>${paidWith}</dd>`}
    </dl>
    ${linesAndTotal(frame, details)}
  </section>`
}

type Parts = readonly [title: string, text: string, actions: Html]

function partsOf({ texts }: Frame, { order: { id, state }, payable }: OrderDetails): Parts {
  const cart = html`<a class="button quiet" href="/cart">${texts.changeCart}</a>`
  const pay = (label: string, testId: string): Html =>
    payable
      ? html`<a class="button" data-testid="${testId}" href="/pay/${id}">${label}</a>${cart}`
      : cart
  const progress = html`<a class="button" href="/confirming/${id}">${texts.seeProgress}</a>`
  const print = html`<button class="button quiet" type="button" data-print>${texts.print}</button>
    <a class="button quiet" href="/">${texts.keepShopping}</a>`
  const parts: Readonly<Record<OrderState, Parts>> = {
    open: [texts.openTitle, texts.openText, pay(texts.payNow, 'pay-now')],
    processing: [texts.processingTitle, texts.processingText, progress],
    paid: [texts.paidTitle, texts.paidText, print],
    failed: [texts.state.failed, texts.failedText, pay(texts.tryAgain, 'try-again')],
    canceled: [texts.state.canceled, texts.canceledText, pay(texts.payNow, 'pay-now')],
  }
  return parts[state]
}
