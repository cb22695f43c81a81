/** Summary of an order: lines, amounts, and dates. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LineData, OrderData } from '../server/page-data.ts'
import { texts } from './language.ts'

/** Shows the order's number, dates, and lines. */
export function orderSummary(order: OrderData['order'], heading: TemplateResult): TemplateResult {
  const { id, placedAt, paidAt, paidWith, lines, amount } = order
  return html`<section class="summary" aria-label=${`${texts.orderNumber} ${id}`}>
    <div class="summary-head">${heading}</div>
    <dl class="facts">
      <dt>${texts.orderNumber}</dt><dd class="order-id" data-testid="order-id"><bdi>${id}</bdi></dd>
      <dt>${texts.placedAt}</dt><dd>${placedAt}</dd>
      ${paidAt ? html`<dt>${texts.paidAt}</dt><dd>${paidAt}</dd>` : nothing}
      ${paidWith ? html`<dt>${texts.paidWith}</dt><dd>${paidWith}</dd>` : nothing}
    </dl>
    ${linesAndTotal(lines, amount)}
  </section>`
}

export function linesAndTotal(lines: readonly LineData[], amount: string): TemplateResult {
  return html`
    <ul class="lines">
      ${lines.map(
        ({ product, name, quantity, price, total }) => html`<li class="line">
          <img src="/pictures/${product}.svg" alt="" width="56" height="56">
          <div><strong>${name}</strong><span class="muted money">${quantity} × ${price}</span></div>
          <span class="money">${total}</span>
        </li>`,
      )}
    </ul>
    <p class="total">
      <span>${texts.total}</span><span class="money" data-testid="order-total">${amount}</span>
    </p>
  `
}

/** Shows the state of an order. */
export function badge(state: OrderData['order']['state']): TemplateResult {
  return html`<span class="badge" data-testid="order-state" data-state=${state}>
    ${texts.state[state]}
  </span>`
}

/** Shows payments for an earlier version of the order. */
export function earlierPayments({ earlierPayments }: OrderData['order']): TemplateResult[] {
  return earlierPayments.map(
    (amount) => html`<p class="notice bad" role="alert" data-testid="stray-payment">
      ${texts.earlierPayment(amount)}
    </p>`,
  )
}
