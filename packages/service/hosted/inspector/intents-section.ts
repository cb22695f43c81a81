/** The newest intents, and next to them the one that is open. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import { intentDetail } from './intent-detail.ts'
import { name, panes, statusLabel } from './markup.ts'
import type { Reading, Sandbox } from './sandbox.ts'
import { money, time } from './show.ts'

export function intentsSection(
  sandbox: Sandbox,
  { intents, openId, intent }: Reading,
): TemplateResult {
  const { q, id } = sandbox.route
  if (intents.length === 0 && !q && !id) return empty(sandbox)
  return panes(
    sandbox,
    {
      label: 'Intents',
      placeholder: 'Order, status, customer, card, id',
      rows: intents.map((each) => [each.id, row(sandbox, each, openId)]),
      none: 'No matching intents. Search for another order, status, customer, card, or id.',
      gone: 'No test intent has this id. A reset may have deleted it.',
    },
    intent && intentDetail(sandbox, intent),
  )
}

function row(sandbox: Sandbox, intent: PaymentIntent, openId?: string): TemplateResult {
  const { id, orderId, amount, currency, status, createdAt, customer } = intent
  return html`<li><a class="line" href=${sandbox.link('intents', id)} data-id=${id}
    aria-current=${id === (sandbox.route.id ?? openId) ? 'true' : 'false'}>
    <span><b>${name(orderId)}</b>${
      customer
        ? html` <span class="hint">${name(customer.name ?? customer.email ?? customer.id)}</span>`
        : nothing
    }</span>
    <span>${money(amount, currency)}</span>
    ${statusLabel(status)}
    <span class="hint">${time(createdAt)}</span>
  </a></li>`
}

function empty(sandbox: Sandbox): TemplateResult {
  return html`<div class="empty stack">
    <h2>No Payment Intent yet</h2>
    <p>Create one from your server, as the <a href="/docs">documentation</a> shows. It appears here immediately.<br>
      <a href=${sandbox.link('settings')}>Settings</a> creates a key for <code>PI_API_KEY</code>, and
      <a href=${sandbox.link('requests')}>Requests</a> shows why a create failed.</p>
  </div>`
}
