/** The newest intents, and next to them the one that is open. @module */
import type { PaymentIntent } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import { codeBlock } from './code-block.ts'
import { curlOfCreate, exampleCreate } from './curl.ts'
import { anyIntent, anyRequest, type IntentFilter, isUnfiltered } from './filters.ts'
import { PanesView } from './inspector-view.ts'
import { allStatuses, customerName, money, statusLabel, statusText, timeText } from './labels.ts'
import { emptySection, noMatch, pageButtons, searchField, selectField } from './markup.ts'
import { writeRoute } from './route.ts'

export class IntentsView extends PanesView {
  protected override render(): unknown {
    const { lists, intentFilter } = this.state
    const { intents = [], next = null } = lists.intents ?? {}
    if (intents.length === 0 && isUnfiltered(intentFilter) && !this.selected) return this.#empty()
    return html`<div class="panes columns" data-open=${this.selected ? 'detail' : 'list'}>
      <section class="list" aria-label="Payment Intents">
        ${this.#filters(intentFilter)}
        ${
          intents.length > 0
            ? html`<ul class="rows">${repeat(
                intents,
                ({ id }) => id,
                (intent) => this.#row(intent),
              )}</ul>`
            : this.#none(next)
        }
        ${this.#pages(intentFilter)}
      </section>
      ${
        this.selected
          ? html`<intent-detail class="detail" .state=${this.state}></intent-detail>`
          : html`<p class="empty">Select an intent to see its timeline and JSON, and to simulate an outcome.</p>`
      }
    </div>`
  }

  #filters({ q, status }: IntentFilter): TemplateResult {
    return html`<div class="filters row">
      ${searchField('Search intents', {
        placeholder: 'Order, customer, card, id, key',
        value: q,
        onInput: (q) => this.state.searchIntents({ q }),
      })}
      ${selectField('Status', {
        options: [
          ['', 'Any status'],
          ...allStatuses.map((name) => [name, statusText(name)] as const),
        ],
        value: status,
        onChange: (status) => this.state.searchIntents({ status }),
      })}
      ${this.#newIntent('New', 'Create a test intent')}
    </div>`
  }

  #none(next: string | null): TemplateResult {
    if (next !== null) return html`<p class="empty">Searching older intents…</p>`
    return noMatch({
      text: 'No matching intents.',
      hint: 'The search looks at orders, customers, cards, ids, and idempotency keys.',
      onClear: () => this.state.searchIntents(anyIntent),
    })
  }

  /** A page of matches can have few, or none, although older intents match. */
  #pages({ q, status, before }: IntentFilter): TemplateResult {
    const { next = null } = this.state.lists.intents ?? {}
    return pageButtons({
      showsNewest: before === '',
      older: q || status ? 'Search older' : 'Show older',
      before: next,
      onPage: (id) => this.state.searchIntents({ before: id ?? '' }),
    })
  }

  #row(intent: PaymentIntent): TemplateResult {
    const { id, orderId, amount, currency, status, createdAt, customer } = intent
    const current = id === this.selected
    const href = writeRoute({ section: 'intents', id })
    return html`<li><a href=${href} data-id=${id} aria-current=${current ? 'true' : 'false'}>
      <span class="order"><bdi>${orderId}</bdi></span>
      <span>${money(amount, currency)}</span>
      ${statusLabel(status, 'dot hint')}
      <span class="hint">${timeText(String(createdAt))}${customer ? html` · ${customerName(customer)}` : nothing}</span>
    </a></li>`
  }

  #newIntent(text: string, title: string): TemplateResult {
    const create = async (): Promise<void> => {
      const sent = await this.state.sendRequest(exampleCreate())
      if (!sent) return
      const { intentId, requestId } = sent
      this.state.searchIntents(anyIntent)
      // A fault rule can break this create too.
      if (!intentId) this.state.searchRequests(anyRequest)
      location.hash = intentId
        ? writeRoute({ section: 'intents', id: intentId })
        : writeRoute({ section: 'requests', id: requestId ?? undefined })
    }
    return html`<button type="button" title=${title} @click=${create}>${text}</button>`
  }

  #empty(): TemplateResult {
    return emptySection(
      'No Payment Intent yet',
      html`<p class="hint">Create one from your server, with this command, or with the button. It appears here immediately.</p>
      ${codeBlock(curlOfCreate(location.origin))}
      <p class="hint">The section <a href=${writeRoute({ section: 'environment' })}>Environment</a> creates a key for
        <code>PI_API_KEY</code>.</p>
      <p>${this.#newIntent('Create a test intent', '')}</p>`,
    )
  }
}
