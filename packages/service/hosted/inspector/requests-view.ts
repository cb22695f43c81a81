/** The request log, and next to it the request that is open. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { anyRequest, isUnfiltered, matchesRequest, type RequestFilter } from './filters.ts'
import { PanesView } from './inspector-view.ts'
import { keyText, timeText } from './labels.ts'
import { emptySection, noMatch, searchField, selectField } from './markup.ts'
import { requestLine } from './request-line.ts'
import { writeRoute } from './route.ts'

export class RequestsView extends PanesView {
  protected override render(): unknown {
    const { requestFilter: filter, lists } = this.state
    const { requests: all = [] } = lists.requests ?? {}
    const requests = all.filter((request) => matchesRequest(request, filter))
    if (requests.length === 0 && isUnfiltered(filter) && !this.selected) return empty()
    return html`<div class="panes columns" data-open=${this.selected ? 'detail' : 'list'}>
      <section class="list" aria-label="Requests">
        ${this.#filters(filter)}
        ${
          requests.length > 0
            ? html`<ul class="log">${repeat(
                requests,
                ({ number }) => number,
                (request) => this.#row(request),
              )}</ul>`
            : noMatch({
                text: 'No matching requests.',
                hint: 'The search looks at orders, customers, paths, statuses, errors, faults, keys, and ids.',
                onClear: () => this.state.searchRequests(anyRequest),
              })
        }
        ${this.#kept()}
      </section>
      ${
        this.selected
          ? html`<request-detail class="detail" .state=${this.state} .selected=${this.selected}></request-detail>`
          : html`<p class="empty">Select a request to see what was sent and received, and to send it again.</p>`
      }
    </div>`
  }

  #filters({ q, show, key }: RequestFilter): TemplateResult {
    const { state } = this
    return html`<div class="filters row">
      ${searchField('Search requests', {
        placeholder: 'Order, customer, path, error, key',
        value: q,
        onInput: (q) => state.searchRequests({ q }),
      })}
      ${selectField('Show', {
        options: kinds,
        value: show,
        onChange: (show) => state.searchRequests({ show }),
      })}
      ${
        key
          ? html`<button type="button" class="small" title="Show the requests of all keys"
              @click=${() => state.searchRequests({ key: '' })}>Key ${keyText(key)} ✕</button>`
          : nothing
      }
    </div>`
  }

  #kept(): TemplateResult {
    const { state } = this
    const { since } = state.lists.requests ?? {}
    const clear = async (): Promise<void> => {
      if (await state.change('DELETE', 'requests')) state.searchRequests(anyRequest)
    }
    return html`<div class="row between hint">
      <span>${since ? `In memory since ${timeText(since)}: the last 500 requests.` : nothing}</span>
      <button type="button" class="small" @click=${clear}>Clear the log</button>
    </div>`
  }

  #row(request: LoggedRequest): TemplateResult {
    const { requestId } = request
    const isOpen = requestId === this.selected
    return html`<li><a class="line" href=${writeRoute({ section: 'requests', id: requestId })}
      data-id=${requestId} aria-current=${isOpen ? 'true' : 'false'}>${requestLine(request)}</a></li>`
  }
}

const kinds = [
  ['', 'All requests'],
  ['failed', 'Failed'],
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
