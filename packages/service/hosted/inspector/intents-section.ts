/** The newest intents, and next to them the one that is open. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { paymentIntentStatuses } from '@pi-checkout/contract/payment-status'
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { CreatedIntent } from '../../shared/sandbox-api.ts'
import { intentDetail } from './intent-detail.ts'
import { emptySection, loading, name, panes, statusLabel } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { money, time } from './show.ts'

export function intentsSection(sandbox: Sandbox): TemplateResult {
  const { data, search, route } = sandbox
  if (!data.intents) return loading(sandbox)
  const { intents, next } = data.intents
  const isUnfiltered = Object.values(search).every((value) => value === '')
  const count = `${intents.length}${next ? '+' : ''}`
  if (intents.length === 0 && isUnfiltered && !route.id) return empty(sandbox)
  return panes(
    sandbox,
    {
      label: 'Intents',
      placeholder: 'Order, card, id',
      filters: html`${statusFilter(sandbox)} ${createButton(sandbox, 'New')}
        <p class="hint whole" role="status">${count} ${count === '1' ? 'intent' : 'intents'}</p>`,
      rows: intents.map((intent) => [intent.id, row(sandbox, intent)]),
      none: 'No matching intents. Search for another order, status, customer, card, or id.',
      tools: html`${isUnfiltered ? nothing : pageButton(sandbox, 'Show newest', { q: '', filter: '' })}
        ${next ? pageButton(sandbox, 'Show older', { before: next }) : nothing}`,
    },
    route.id || intents.length > 0 ? intentDetail(sandbox) : nothing,
  )
}

function row(sandbox: Sandbox, intent: PaymentIntent): TemplateResult {
  const { id, orderId, amount, currency, status, createdAt, customer } = intent
  const isOpen = id === (sandbox.route.id ?? sandbox.data.intent?.intent.id)
  return html`<li><a class="line" href=${sandbox.link('intents', id)} data-id=${id} aria-current=${isOpen ? 'true' : 'false'}>
    <span><b>${name(orderId)}</b>${
      customer
        ? html` <span class="hint">${name(customer.name ?? customer.email ?? customer.id)}</span>`
        : nothing
    }</span>
    <span>${money(amount, currency)}</span>
    ${statusLabel(status, 'dot hint')}
    <span class="hint">${time(createdAt)}</span>
  </a></li>`
}

function statusFilter(sandbox: Sandbox): TemplateResult {
  const choose = ({ currentTarget }: Event): void => {
    if (currentTarget instanceof HTMLSelectElement) sandbox.find({ filter: currentTarget.value })
  }
  return html`<select aria-label="Status" .value=${live(sandbox.search.filter)} @change=${choose}>
    <option value="">All</option>${paymentIntentStatuses.map((status) => html`<option>${status}</option>`)}
  </select>`
}

function pageButton(
  sandbox: Sandbox,
  label: string,
  search: Parameters<Sandbox['find']>[0],
): TemplateResult {
  const open = (): void => {
    sandbox.find(search)
    document.querySelector('.list')?.scrollTo(0, 0)
  }
  return html`<button type="button" class="small" @click=${open}>${label}</button>`
}

function createButton(sandbox: Sandbox, label: string, look = ''): TemplateResult {
  const create = async (): Promise<void> => {
    const sent = await sandbox.act<CreatedIntent>('POST', 'intents')
    if (!sent) return
    sandbox.find({ q: '', filter: '' })
    // A fault can break this create too.
    location.hash = sent.intentId
      ? sandbox.link('intents', sent.intentId)
      : sandbox.link('requests', sent.requestId ?? undefined)
  }
  return html`<button type="button" class=${look} title="Create a test intent" @click=${create}>${label}</button>`
}

function empty(sandbox: Sandbox): TemplateResult {
  return emptySection(
    'No Payment Intent yet',
    html`<p class="hint">Create one from your server, as the <a href="/docs">documentation</a> shows, or with the button.
        It appears here immediately. <a href=${sandbox.link('settings')}>Settings</a> creates a key for <code>PI_API_KEY</code>.</p>
      <p>${createButton(sandbox, 'Create a test intent', 'primary')}</p>`,
  )
}
