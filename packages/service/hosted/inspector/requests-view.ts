/** The request log. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { anyRequest, isUnfiltered, type RequestFilter } from './filters.ts'
import { InspectorView } from './inspector-view.ts'
import { keyText, timeText } from './labels.ts'
import { emptySection, pageButtons, searchField, selectField } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { requestLine } from './request-line.ts'
import { writeRoute } from './route.ts'

export class RequestsView extends InspectorView {
  @property({ attribute: false }) selected: string | undefined

  /** The request that was brought into view. A new one is selected before the list has it. */
  #shown: string | undefined

  protected override updated(): void {
    const row = this.querySelector('[aria-expanded="true"]')
    if (this.#shown === this.selected || (this.selected && !row)) return
    this.#shown = this.selected
    row?.scrollIntoView({ block: 'nearest' })
  }

  protected override render(): unknown {
    const { requestFilter: filter, lists, isMissing } = this.state
    const {
      requests: listed = [],
      newer = 0,
      hasOlder = false,
      since = null,
    } = lists.requests ?? {}
    const opened = this.state.exchangeOf(this.selected)?.request
    // A linked request can be on another page.
    const isApart = opened !== undefined && !listed.some((each) => this.#isOpen(each))
    const shown = isApart ? [...listed, opened].sort((a, b) => b.number - a.number) : listed
    if (shown.length === 0 && isUnfiltered(filter)) return empty()
    return html`<section>
      ${this.#filters(filter)}
      <div class="tools row between hint">${since ? `In memory since ${timeText(since)}` : 'Kept in the data directory'}: the last 500
        failures, 500 creates, and 500 reads.${isMissing ? ' The log no longer has this request.' : ''}
        ${newer > 0 && !filter.before ? this.#newer(newer) : nothing}</div>
      ${
        shown.length > 0
          ? html`<ul class="log">${repeat(
              shown,
              ({ number }) => number,
              (request) => this.#row(request),
            )}</ul>`
          : html`<p class="empty">No matching requests.</p>`
      }
      ${pageButtons({
        showsNewest: filter.before === 0,
        older: 'Show older',
        before: (hasOlder && listed.at(-1)?.number) || null,
        onPage: (before = 0) => this.state.searchRequests({ before }),
      })}
    </section>`
  }

  /** Shows the rows that have arrived while the list was held in place. */
  #newer(count: number): TemplateResult {
    const show = (): void => {
      scrollTo(0, 0)
      location.hash = writeRoute({ section: 'requests' })
      this.state.searchRequests({})
    }
    return html`<button type="button" class="small" @click=${show}>Show ${count} newer</button>`
  }

  #filters({ q, operation, key, failed }: RequestFilter): TemplateResult {
    const { state } = this
    const clear = async (): Promise<void> => {
      if (await state.change('DELETE', 'requests')) state.searchRequests(anyRequest)
    }
    return html`<div class="filters row">
      ${searchField('Search requests', {
        placeholder: 'Order, path, status, key, id',
        value: q,
        onInput: (q) => state.searchRequests({ q }),
      })}
      ${selectField('Operation', {
        options: operations,
        value: operation,
        onChange: (operation) => state.searchRequests({ operation }),
      })}
      <label class="row"><input type="checkbox" .checked=${live(failed)}
        @change=${() => state.searchRequests({ failed: !failed })}>Errors only</label>
      ${
        key
          ? html`<button type="button" title="Show the requests of all keys"
              @click=${() => state.searchRequests({ key: '' })}>Key ${keyText(key)} ✕</button>`
          : nothing
      }
      <button type="button" @click=${clear}>Clear</button>
    </div>`
  }

  #row(request: LoggedRequest): TemplateResult {
    const { requestId } = request
    const isOpen = this.#isOpen(request)
    const href = writeRoute({ section: 'requests', id: isOpen ? undefined : requestId })
    return html`<li>
      <a class="line" href=${href} data-id=${requestId} aria-expanded=${isOpen ? 'true' : 'false'}>
        ${requestLine(request)}</a>
      ${isOpen ? requestDetail(this.state, request) : nothing}
    </li>`
  }

  #isOpen({ requestId }: LoggedRequest): boolean {
    return requestId === this.selected
  }
}

const operations = [
  ['', 'All requests'],
  ['create', 'Creates'],
  ['retrieve', 'Retrieves'],
  ['check', 'Key checks'],
  ['page', 'Hosted pages'],
  ['other', 'Other'],
] as const

function empty(): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send a request to <code>${location.origin}/payment-intents</code>, or open a checkout. Each
      request is listed here with method, path, status, and time. Credentials are masked.</p>`,
  )
}
