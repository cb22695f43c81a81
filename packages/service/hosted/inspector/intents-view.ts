/**
 * The newest intents, and next to them the one that is open.
 *
 * @module
 */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import { copyButton } from './copy.ts'
import { firstCreate } from './curl.ts'
import { type IntentFilter, isEmpty, maxSearchLength } from './filters.ts'
import { InspectorView } from './inspector-view.ts'
import type { IntentDetail } from './intent-detail.ts'
import { allStatuses, badge, money, timeText } from './labels.ts'
import { writeRoute } from './route.ts'

export class IntentsView extends InspectorView {
  @property({ attribute: false }) selected: string | undefined

  /** On a phone the open intent replaces the list. The focus moves to it, and back. */
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
    const { intents, hasOlder, environment, intentSearch } = this.state
    if (!intents || !environment) return html`<p class="empty">Loading…</p>`
    const isUnfiltered = isEmpty(intentSearch.filter)
    if (intents.length === 0 && isUnfiltered && !this.selected) return empty()
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
            : html`<p class="empty">No matching intents.</p>`
        }
        ${hasOlder ? this.#more(intents.length, isUnfiltered) : nothing}
      </section>
      ${
        this.selected
          ? html`<intent-detail .state=${this.state}></intent-detail>`
          : html`<p class="empty">Select an intent to see its timeline and JSON, and to simulate an outcome.</p>`
      }
    </div>`
  }

  #filters({ q, status: chosen }: IntentFilter): TemplateResult {
    return html`<div class="filters">
      <input type="search" placeholder="Order, id, customer, card" aria-label="Search intents"
        maxlength=${maxSearchLength} .value=${q}
        @input=${({ target }: Event) => {
          if (target instanceof HTMLInputElement)
            void this.state.searchIntents({ q: target.value }, { typing: true })
        }}>
      <select aria-label="Status" @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) {
          void this.state.searchIntents({ status: target.value })
        }
      }}>
        <option value="">Any status</option>
        ${allStatuses.map(
          (status) =>
            html`<option value=${status} .selected=${live(status === chosen)}>${status}</option>`,
        )}
      </select>
    </div>`
  }

  #more(count: number, isUnfiltered: boolean): TemplateResult {
    return html`<p class="tools">
      <span class="hint">Showing the newest ${count}${isUnfiltered ? '' : ' matches'}.</span>
      <button type="button" @click=${() => void this.state.showOlder()}>Show older</button>
    </p>`
  }

  #row(intent: PaymentIntent): TemplateResult {
    const { id, orderId, amount, currency, status, createdAt, customer } = intent
    const current = id === this.selected
    const href = writeRoute({ section: 'intents', id })
    return html`<li><a href=${href} data-id=${id} aria-current=${current ? 'true' : 'false'}>
      <span class="order"><bdi>${orderId}</bdi></span>
      <span class="money">${money(amount, currency)}</span>
      <span class="hint">${timeText(createdAt)}${
        customer ? html` · <bdi>${customer.name ?? customer.email ?? customer.id}</bdi>` : nothing
      }</span>
      ${badge(status)}
    </a></li>`
  }
}

function empty(): TemplateResult {
  const text = firstCreate(location.origin)
  return html`<div class="box welcome">
    <h2>No Payment Intent yet</h2>
    <p class="hint">Create one from your server, or run this command. It appears here immediately.</p>
    <div class="code">${copyButton('Copy', () => text)}<pre tabindex="0">${text}</pre></div>
    <p class="hint"><code>PI_API_KEY</code> is the test key that <code>pi-service start</code>
      printed.</p>
  </div>`
}
