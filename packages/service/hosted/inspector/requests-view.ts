/**
 * The request log: each request with its response, and a command that sends it again.
 *
 * @module
 */
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { copyButton } from './copy.ts'
import { curlOf } from './curl.ts'
import { anyRequest, isEmpty, maxSearchLength, type RequestFilter } from './filters.ts'
import { InspectorView } from './inspector-view.ts'
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
    const { requests, requestSearch } = this.state
    const { filter } = requestSearch
    if (requests.length === 0 && isEmpty(filter)) return empty()
    const shown = requests.filter((request) => this.#isOpen(request) || matches(request, filter))
    const isMissing = this.selected !== undefined && !requests.some((each) => this.#isOpen(each))
    return html`
      ${this.#filters(filter)}
      ${isMissing ? html`<p class="tools hint">The log keeps the last 500 requests. This one is no longer in it.</p>` : nothing}
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

  #filters({ q, operation: chosen, failed }: RequestFilter): TemplateResult {
    const search = async (filter: Partial<RequestFilter>): Promise<void> =>
      await this.state.searchRequests(filter)
    const clear = async (): Promise<void> => {
      if (await this.state.change('DELETE', 'requests')) await search(anyRequest)
    }
    return html`<div class="filters">
      <input type="search" placeholder="Path, status, order, intent, key, request id"
        aria-label="Search requests" maxlength=${maxSearchLength} .value=${q} @input=${({
          target,
        }: Event) => {
          if (target instanceof HTMLInputElement) {
            void this.state.searchRequests({ q: target.value }, { typing: true })
          }
        }}>
      <select aria-label="Operation" @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) void search({ operation: target.value })
      }}>${operations.map(
        ([name, text]) =>
          html`<option value=${name} .selected=${live(name === chosen)}>${text}</option>`,
      )}</select>
      <label><input type="checkbox" .checked=${live(failed)}
        @change=${() => void search({ failed: !failed })}>Errors only</label>
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
      ${isOpen ? this.#more(request) : nothing}
    </li>`
  }

  #isOpen({ requestId }: LoggedRequest): boolean {
    return requestId === this.selected
  }

  #more(request: LoggedRequest): TemplateResult {
    const { requestId, intentId, idempotencyKey, operation, problem } = request
    const { pointers, pointersOmitted } = request
    const intent = this.state.findIntent(intentId)
    const curl = curlOf(request, { origin: location.origin, intent })
    const key = idempotencyKey ? html`<code>${idempotencyKey}</code>` : 'None'
    const rows: readonly (readonly [string, unknown])[] = [
      ['Request id', html`<code>${requestId}</code>`],
      [
        'Problem',
        problem && html`<a href="/docs#${problem}" target="_blank"><code>${problem}</code></a>`,
      ],
      [
        'Fields',
        pointers.length > 0 &&
          html`<code>${pointers.join(', ')}</code>${pointersOmitted > 0 ? ` and ${pointersOmitted} more` : nothing}`,
      ],
      [
        'Intent',
        intentId &&
          html`<a href=${writeRoute({ section: 'intents', id: intentId })}><code>${intentId}</code></a>`,
      ],
      ['Order', intent && html`<bdi>${intent.orderId}</bdi>`],
      ['Idempotency-Key', operation === 'create' && key],
    ]
    return html`<div class="more">
      <dl>${rows.map(([name, value]) =>
        value ? html`<div><dt>${name}</dt><dd>${value}</dd></div>` : nothing,
      )}</dl>
      <div class="code">${copyButton('Copy as curl', () => curl)}<pre tabindex="0">${curl}</pre></div>
    </div>`
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
  return html`<div class="box welcome"><h2>No requests yet</h2>
    <p class="hint">Send a request to <code>${location.origin}/payment-intents</code>, or open a checkout. Each
      request is listed here with method, path, status, and time. Bodies and credentials are not stored.</p></div>`
}
