/**
 * The newest intents and, beside them, the one that is open.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import { type Currency, isCurrency } from '@pi-checkout/contract/money'
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import { moneyText } from '../money-text.ts'
import { copyButton } from './copy.ts'
import { firstCreate } from './curl.ts'
import { type IntentFilter, isOpen, maxSought } from './filters.ts'
import type { ViewState } from './inspector.ts'
import type { IntentDetail } from './intent-detail.ts'
import { writeRoute } from './route.ts'
import { allStatuses, statusWords, timeText } from './words.ts'

export class IntentsView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined
  @property({ attribute: false }) selected: string | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  /** On a phone the list goes when an intent opens: whoever was there goes along, and back. */
  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('selected')) return
    const before = changed.get('selected')
    if (this.selected) {
      const at = document.activeElement
      if (at !== document.body && !at?.checkVisibility()) this.#detail?.takeFocus()
    } else if (before && document.activeElement === document.body) {
      this.querySelector<HTMLElement>(`.rows [data-id="${before}"]`)?.focus()
    }
  }

  get #detail(): IntentDetail | null {
    return this.querySelector<IntentDetail>('intent-detail')
  }

  protected override render(): unknown {
    const { intents, older, environment, intentSearch } = this.state?.live ?? {}
    if (!intents || !environment || !intentSearch) return html`<p class="empty">Reading…</p>`
    const isWhole = isOpen(intentSearch.filter)
    if (intents.length === 0 && isWhole && !this.selected) return empty()
    return html`<div class="panes" data-open=${this.selected ? 'detail' : 'list'}>
      <section class="list" aria-label="Payment Intents">
        ${this.#filters(intentSearch.filter)}
        ${
          intents.length > 0
            ? html`<ul class="rows">${repeat(
                intents,
                ({ id }) => id,
                (intent) => this.#row(intent),
              )}</ul>`
            : html`<p class="empty">No intent fits.</p>`
        }
        ${older ? this.#more(intents.length, isWhole) : nothing}
      </section>
      ${
        this.selected
          ? html`<intent-detail .state=${this.state}></intent-detail>`
          : html`<section class="detail none"><p class="empty">Choose an intent to see its
            timeline, its JSON and its outcomes.</p></section>`
      }
    </div>`
  }

  #filters({ q, status: chosen }: IntentFilter): TemplateResult {
    return html`<div class="filters">
      <input type="search" placeholder="Order, id, customer, card" aria-label="Search intents"
        maxlength=${maxSought} .value=${q}
        @input=${({ target }: Event) => {
          if (target instanceof HTMLInputElement)
            void this.state?.live.seekIntents({ q: target.value }, { typing: true })
        }}>
      <select aria-label="Status" @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) {
          void this.state?.live.seekIntents({ status: target.value })
        }
      }}>
        <option value="">Any status</option>
        ${allStatuses.map(
          (status) =>
            html`<option value=${status} .selected=${live(status === chosen)}>${
              statusWords(status).text
            }</option>`,
        )}
      </select>
    </div>`
  }

  #more(count: number, isWhole: boolean): TemplateResult {
    return html`<p class="more">
      <span class="hint">The newest ${count}${isWhole ? '' : ' that fit'} are shown.</span>
      <button type="button" @click=${() => void this.state?.live.showOlder()}>Show older</button>
    </p>`
  }

  #row(intent: PaymentIntent): TemplateResult {
    const { id, orderId, amount, currency, status, createdAt, customer } = intent
    const current = id === this.selected
    const href = writeRoute({ section: 'intents', id })
    return html`<li><a href=${href} data-id=${id} aria-current=${current ? 'true' : 'false'}>
      <span class="order"><bdi>${orderId}</bdi></span>
      <span class="money">${money(amount, currency)}</span>
      <span class="who">${timeText(createdAt)}${
        customer ? html` · <bdi>${customer.name ?? customer.email ?? customer.id}</bdi>` : nothing
      }</span>
      ${badge(status)}
    </a></li>`
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
