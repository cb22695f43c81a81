/** The newest intents, and next to them the one that is open. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import type { CreatedIntent } from '../../shared/sandbox-api.ts'
import { intentDetail } from './intent-detail.ts'
import { emptySection, loading, name, panes, statusLabel } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { money, time } from './show.ts'

export function intentsSection(sandbox: Sandbox): TemplateResult {
  const { data, search, route } = sandbox
  if (!data.intents) return loading(sandbox)
  const { intents, next } = data.intents
  const isUnfiltered = !search.q && !search.before
  if (intents.length === 0 && isUnfiltered && !route.id) return empty(sandbox)
  return panes(
    sandbox,
    {
      label: 'Intents',
      placeholder: 'Order, status, card, id',
      filters: createButton(sandbox, 'New'),
      rows: intents.map((intent) => [intent.id, row(sandbox, intent)]),
      none: 'No matching intents. Search for another order, status, customer, card, or id.',
      tools: html`${isUnfiltered ? nothing : pageButton(sandbox, 'Show newest', { q: '' })}
        ${next ? pageButton(sandbox, 'Show older', { before: next }) : nothing}`,
    },
    route.id || intents.length > 0 ? intentDetail(sandbox) : nothing,
  )
}

function row(sandbox: Sandbox, intent: PaymentIntent): TemplateResult {
  const { id, orderId, amount, currency, status, createdAt, customer } = intent
  const isOpen = id === (sandbox.route.id ?? sandbox.data.intent?.intent.id)
  return html`<li><a class="line" href=${sandbox.link('intents', id)} data-id=${id} aria-current=${isOpen ? 'true' : 'false'}>
    <b>${name(orderId)}</b>
    <span>${money(amount, currency)}</span>
    ${statusLabel(status, 'dot hint')}
    <span class="hint">${time(createdAt)}${
      customer ? html` · ${name(customer.name ?? customer.email ?? customer.id)}` : nothing
    }</span>
  </a></li>`
}

function pageButton(
  sandbox: Sandbox,
  label: string,
  search: { readonly q?: string; readonly before?: string },
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
    sandbox.find({ q: '' })
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
    html`<p class="hint">Create one from your server, as <a href="/docs">API</a> shows, or with the button. It appears here
        immediately. <a href=${sandbox.link('settings')}>Settings</a> creates a key for <code>PI_API_KEY</code>.</p>
      <p>${createButton(sandbox, 'Create a test intent', 'primary')}</p>`,
  )
}
