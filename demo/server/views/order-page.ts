/** The order in each of its states. A paid one is the receipt. @module */
import { formatMoney } from '@pi-checkout/server'
import { isUnsettled, type OrderDetails, type OrderState } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { badge, editCart, formatTime, linesAndTotal, orderNumber } from './order-summary.ts'

export function orderPage(frame: Frame, details: OrderDetails): Page {
  const { order, state, underReview } = details
  const [title, text, actions] = partsOf(frame, details)
  const content = html`<div class="order"${isUnsettled(details) && html` data-follow="${order.id}"`}>
    ${underReview.length > 0 && reviewNote(frame, details)}
    <div class="order-head" role="status" data-testid="order-state" data-state="${state}">
      ${title !== frame.texts.state[state] && badge(frame, state)}
      <h1 tabindex="-1">${title}</h1>
      <p class="muted">${text}</p>
    </div>
    <div class="actions">${actions}</div>
    ${receipt(frame, details)}
  </div>`
  return { title, content }
}

function reviewNote({ texts, language }: Frame, { order, underReview }: OrderDetails): Html {
  const amounts = underReview.map(({ amount, currency }) => formatMoney(amount, currency, language))
  return html`<p class="notice" data-testid="under-review">${texts.reviewNote(amounts.join(', '))}
    <a href="/orders/${order.id}/review">${texts.decide}</a></p>`
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
      <dt>${texts.placedAt}</dt><dd>${formatTime(frame, placedAt, zoned)}</dd>
      ${paidAt && html`<dt>${texts.paidAt}</dt><dd>${formatTime(frame, paidAt, zoned)}</dd>`}
      ${paidWith && html`<dt>${texts.paidWith}</dt><dd data-testid="paid-with"><bdi>${paidWith}</bdi></dd>`}
    </dl>
    ${linesAndTotal(frame, details)}
  </section>`
}

/** A receipt is read elsewhere, too. */
const zoned: Intl.DateTimeFormatOptions = {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  timeZoneName: 'short',
}

type Parts = readonly [title: string, text: string, actions: Html]

function partsOf(frame: Frame, details: OrderDetails): Parts {
  const { texts } = frame
  const { id } = details.order
  const pay = (label: string, testId: string): Html =>
    html`<a class="button" data-testid="${testId}" href="/pay/${id}">${label}</a>${editCart(frame, details.order)}`
  const shop = html`<a class="button quiet" href="/">${texts.keepShopping}</a>`
  const print = html`<button class="button quiet" type="button" data-print>${texts.print}</button>${shop}`
  const cart = html`<a class="button" href="/cart">${texts.backToCart}</a>`
  const failedText = details.reason === 'expired' ? texts.expiredText : texts.failedText
  const parts: Readonly<Record<OrderState, Parts>> = {
    open: [texts.openTitle, texts.openText, pay(texts.payNow, 'pay-now')],
    processing: [texts.processingTitle, texts.processingText, shop],
    paid: [texts.paidTitle, texts.paidText, print],
    failed: [texts.failedTitle, failedText, pay(texts.payAgain, 'try-again')],
    canceled: [texts.canceledTitle, texts.canceledText, pay(texts.payNow, 'pay-now')],
    refunded: [texts.state.refunded, texts.refundedText, pay(texts.payNow, 'pay-now')],
    review: [texts.state.review, texts.problems.payment_under_review.text, shop],
    closed: [texts.state.closed, texts.closedText, cart],
  }
  return parts[details.state]
}
