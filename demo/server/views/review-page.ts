/** For the staff: what to do with a payment that doesn't pay for its order. @module */
import { formatMoney, type Payment } from '@pi-checkout/server'
import type { OrderDetails } from '../order-details.ts'
import { type Html, html } from './html.ts'
import type { Frame, Page } from './layout.ts'
import { formatTime, linesAndTotal, orderNumber } from './order-summary.ts'

export function reviewPage(frame: Frame, details: OrderDetails): Page {
  const { texts } = frame
  const content = html`<div class="order">
    <div class="order-head">
      <h1 tabindex="-1">${texts.reviewTitle}</h1>
      <p class="muted">${texts.reviewText}</p>
    </div>
    ${details.underReview.map((payment) => decision(frame, details, payment))}
    <section class="summary">
      <dl class="facts">${orderNumber(frame, details.order)}</dl>
      ${linesAndTotal(frame, details)}
    </section>
  </div>`
  return { title: texts.reviewTitle, content }
}

function decision(
  frame: Frame,
  { order: { id } }: OrderDetails,
  { intentId, amount, currency, createdAt, reason }: Payment,
): Html {
  const { texts, language } = frame
  return html`<section class="summary" data-testid="review">
    <dl class="facts">
      <dt>${texts.reviewAmount}</dt><dd>${formatMoney(amount, currency, language)}</dd>
      <dt>${texts.reviewReason}</dt><dd><bdi>${reason}</bdi></dd>
      <dt>${texts.reviewCreated}</dt><dd>${formatTime(frame, createdAt)}</dd>
      <dt>${texts.reviewIntent}</dt><dd class="intent-id"><bdi>${intentId}</bdi></dd>
    </dl>
    <form class="actions" method="post" action="/orders/${id}/review">
      <input type="hidden" name="intentId" value="${intentId}">
      <button class="button" name="decision" value="accepted">${texts.accept}</button>
      <button class="button quiet" name="decision" value="refunded">${texts.markRefunded}</button>
    </form>
  </section>`
}
