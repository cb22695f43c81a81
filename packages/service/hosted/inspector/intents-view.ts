/**
 * The newest intents and, beside them, the one that is open.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import { type Currency, isCurrency } from '@pi-checkout/contract/money'
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property, state } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import { moneyText } from '../money-text.ts'
import { copyButton } from './copy.ts'
import { firstCreate } from './curl.ts'
import type { ViewState } from './inspector.ts'
import { writeRoute } from './route.ts'
import { allStatuses, statusWords, timeText } from './words.ts'

export class IntentsView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined
  @property({ attribute: false }) selected: string | undefined
  @state() private sought = ''
  @state() private status = ''

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const { intents, older, environment } = this.state?.live ?? {}
    if (!intents || !environment) return html`<p class="empty">Reading…</p>`
    if (intents.length === 0) return empty()
    const shown = intents.filter((intent) => this.#fits(intent))
    return html`<div class="panes" data-open=${this.selected ? 'detail' : 'list'}>
      <section class="list" aria-label="Payment Intents">
        ${this.#filters()}
        ${
          shown.length > 0
            ? html`<ul class="rows">${repeat(
                shown,
                ({ id }) => id,
                (intent) => this.#row(intent),
              )}</ul>`
            : html`<p class="empty">No intent fits.</p>`
        }
        ${older ? this.#more(intents.length) : nothing}
      </section>
      ${
        this.selected
          ? html`<intent-detail .state=${this.state}></intent-detail>`
          : html`<section class="detail none"><p class="empty">Choose an intent to see its
            timeline, its JSON and its outcomes.</p></section>`
      }
    </div>`
  }

  #filters(): TemplateResult {
    return html`<div class="filters">
      <input type="search" placeholder="Order, id, customer, card" aria-label="Search intents"
        .value=${this.sought}
        @input=${({ target }: Event) => {
          if (target instanceof HTMLInputElement) this.sought = target.value.trim().toLowerCase()
        }}>
      <select aria-label="Status" @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) this.status = target.value
      }}>
        <option value="">Any status</option>
        ${allStatuses.map(
          (status) =>
            html`<option value=${status} .selected=${live(status === this.status)}>${
              statusWords(status).text
            }</option>`,
        )}
      </select>
    </div>`
  }

  #more(count: number): TemplateResult {
    const words = this.sought || this.status ? 'searched' : 'shown'
    return html`<p class="more">
      <span class="hint">The newest ${count} are ${words}.</span>
      <button type="button" @click=${() => void this.state?.live.showOlder()}>Show older</button>
    </p>`
  }

  #row(intent: PaymentIntent): TemplateResult {
    const { id, orderId, amount, currency, status, createdAt, customer } = intent
    const current = id === this.selected
    const href = writeRoute({ section: 'intents', intentId: id })
    return html`<li><a href=${href} aria-current=${current ? 'true' : 'false'}>
      <span class="order"><bdi>${orderId}</bdi></span>
      <span class="money">${money(amount, currency)}</span>
      <span class="who">${timeText(createdAt)}${
        customer ? html` · <bdi>${customer.name ?? customer.email ?? customer.id}</bdi>` : nothing
      }</span>
      ${badge(status)}
    </a></li>`
  }

  #fits({ id, orderId, status, customer, paymentMethod }: PaymentIntent): boolean {
    if (this.status && status !== this.status) return false
    const { last4 = '', brand = '' } = paymentMethod?.card ?? {}
    const words = [id, orderId, customer?.id, customer?.email, customer?.name, last4, brand]
    return words.join(' ').toLowerCase().includes(this.sought)
  }
}

/** A status as a coloured badge. */
export function badge(status: string): TemplateResult {
  const { text, tone } = statusWords(status)
  return html`<span class="badge" data-tone=${tone} data-status=${status}>${text}</span>`
}

/** Minor units for reading; a currency that no table knows stays a number. */
export function money(amount: number, currency: string): string {
  return isCurrency(currency)
    ? moneyText(amount, currency satisfies Currency, 'en')
    : `${amount} ${currency}`
}

function empty(): TemplateResult {
  const text = firstCreate(location.origin)
  return html`<div class="welcome">
    <h2>No Payment Intent yet</h2>
    <p>Create the first one from your server, or paste this into a terminal. It appears here at
      once.</p>
    <div class="code">${copyButton('Copy', () => text)}<pre tabindex="0">${text}</pre></div>
    <p class="hint"><code>PI_API_KEY</code> is the test key that <code>pi-service start</code>
      printed.</p>
  </div>`
}
