/**
 * An order as paper: what was bought, for how much, and when.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import type { LineData, OrderData } from '../server/page-data.ts'
import { texts } from './language.ts'

/** The order's number, facts and lines; `more` stands under the total. */
export function slip(order: OrderData['order'], heading: TemplateResult): TemplateResult {
  const { id, placedAt, paidAt, paidWith, lines, amount } = order
  return html`<section class="slip" aria-label=${`${texts.orderNumber} ${id}`}>
    <div class="slip-head">${heading}</div>
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

/** The state in words, for people and for tests. */
export function badge(state: OrderData['order']['state']): TemplateResult {
  return html`<span class="badge" data-testid="order-state" data-state=${state}>
    ${texts.state[state]}
  </span>`
}

/** Money that came for an earlier version of the order: said to the buyer, never hidden. */
export function strayPayments({ strayPayments }: OrderData['order']): TemplateResult[] {
  return strayPayments.map(
    (amount) => html`<p class="notice bad" role="alert" data-testid="stray-payment">
      ${texts.strayPayment(amount)}
    </p>`,
  )
}
