/** The request log. @module */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { anyRequest, isUnfiltered, type RequestFilter } from './filters.ts'
import { InspectorView } from './inspector-view.ts'
import { timeText } from './labels.ts'
import { emptySection, searchField, selectField } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { requestLine } from './request-line.ts'
import { writeRoute } from './route.ts'

export class RequestsView extends InspectorView {
  /** Id of the open request. */
  @property({ attribute: false }) selected: string | undefined

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('selected') || !this.selected) return
    this.querySelector('[aria-expanded="true"]')?.scrollIntoView({ block: 'nearest' })
  }

  protected override render(): unknown {
    const { requestFilter: filter, lists } = this.state
    const { requests } = lists
    if (requests.length === 0 && isUnfiltered(filter)) return empty()
    const shown = requests.filter((request) => this.#isOpen(request) || matches(request, filter))
    const isMissing = this.selected !== undefined && !requests.some((each) => this.#isOpen(each))
    return html`
      ${this.#filters(filter)}
      <p class="tools hint">In memory since ${timeText(lists.since)}: the last 500 failures, 500 creates, and 500 reads.${
        isMissing ? ' The log no longer has this request.' : ''
      }</p>
      ${
        shown.length > 0
          ? html`<ul class="log">${repeat(
              shown,
              ({ number }) => number,
              (request) => this.#row(request),
            )}</ul>`
          : html`<p class="empty">No matching requests.</p>`
      }`
  }

  #filters({ q, operation, failed }: RequestFilter): TemplateResult {
    const { state } = this
    const clear = async (): Promise<void> => {
      if (await state.change('DELETE', 'requests')) state.searchRequests(anyRequest)
    }
    return html`<div class="filters">
      ${searchField('Search requests', {
        placeholder: 'Path, status, order, intent, key, request id',
        value: q,
        onInput: (q) => state.searchRequests({ q }),
      })}
      ${selectField('Operation', {
        options: operations,
        value: operation,
        onChange: (operation) => state.searchRequests({ operation }),
      })}
      <label><input type="checkbox" .checked=${live(failed)}
        @change=${() => state.searchRequests({ failed: !failed })}>Errors only</label>
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
  ['page', 'Hosted pages'],
  ['other', 'Other'],
] as const

function matches({ operation, status }: LoggedRequest, filter: RequestFilter): boolean {
  if (filter.operation && operation !== filter.operation) return false
  // 0: the connection ended before the response.
  return !filter.failed || status === 0 || status >= 400
}

function empty(): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send a request to <code>${location.origin}/payment-intents</code>, or open a checkout. Each
      request is listed here with method, path, status, and time. Credentials are masked.</p>`,
  )
}
