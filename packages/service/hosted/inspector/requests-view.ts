/**
 * The request log: what servers and pages asked, why it was refused, and the command that asks again.
 *
 * @module
 */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { live } from 'lit/directives/live.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { copyButton } from './copy.ts'
import { curlOf } from './curl.ts'
import { exchangeLine } from './exchange-line.ts'
import { everyRequest, isOpen, maxSought, type RequestFilter } from './filters.ts'
import type { ViewState } from './inspector.ts'
import { writeRoute } from './route.ts'

export class RequestsView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined
  /** Id of the open request. */
  @property({ attribute: false }) selected: string | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override updated(changed: PropertyValues<this>): void {
    if (!changed.has('selected') || !this.selected) return
    this.querySelector('[aria-expanded="true"]')?.scrollIntoView({ block: 'nearest' })
  }

  protected override render(): unknown {
    const { requests, requestSearch } = this.state?.live ?? {}
    if (!requests || !requestSearch) return nothing
    const { filter } = requestSearch
    if (requests.length === 0 && isOpen(filter)) return empty()
    const shown = requests.filter((exchange) => this.#isOpen(exchange) || fits(exchange, filter))
    const isGone = this.selected !== undefined && !requests.some((each) => this.#isOpen(each))
    return html`
      ${this.#filters(filter)}
      ${isGone ? html`<p class="lead">The log keeps the last 500 requests; that one is gone.</p>` : nothing}
      ${
        shown.length > 0
          ? html`<ul class="log">${repeat(
              shown,
              ({ number }) => number,
              (exchange) => this.#row(exchange),
            )}</ul>`
          : html`<p class="empty">No request fits.</p>`
      }`
  }

  #filters({ q, operation: chosen, failed }: RequestFilter): TemplateResult {
    const seek = async (filter: Partial<RequestFilter>): Promise<void> =>
      await this.state?.live.seekRequests(filter)
    const clear = async (): Promise<void> => {
      const done = await this.state?.live.act(async (api, id) => await api.clearRequests(id))
      if (done) await seek(everyRequest)
    }
    return html`<div class="filters wrapping">
      <input type="search" placeholder="Path, status, order, intent, key, request id"
        aria-label="Search requests" maxlength=${maxSought} .value=${q} @input=${({
          target,
        }: Event) => {
          if (target instanceof HTMLInputElement) {
            void this.state?.live.seekRequests({ q: target.value }, { typing: true })
          }
        }}>
      <select aria-label="Operation" @change=${({ target }: Event) => {
        if (target instanceof HTMLSelectElement) void seek({ operation: target.value })
      }}>${operations.map(
        ([name, text]) =>
          html`<option value=${name} .selected=${live(name === chosen)}>${text}</option>`,
      )}</select>
      <label class="check"><input type="checkbox" .checked=${live(failed)}
        @change=${() => void seek({ failed: !failed })}>Errors only</label>
      <button type="button" @click=${clear}>Clear</button>
    </div>`
  }

  #row(exchange: LoggedRequest): TemplateResult {
    const { requestId } = exchange
    const isOpen = this.#isOpen(exchange)
    const href = writeRoute({ section: 'requests', id: isOpen ? undefined : requestId })
    return html`<li>
      <a class="line" href=${href} data-id=${requestId} aria-expanded=${isOpen ? 'true' : 'false'}>
        ${exchangeLine(exchange)}</a>
      ${isOpen ? this.#more(exchange) : nothing}
    </li>`
  }

  #isOpen({ requestId }: LoggedRequest): boolean {
    return requestId === this.selected
  }

  #more(exchange: LoggedRequest): TemplateResult {
    const { requestId, intentId, idempotencyKey, operation, problem } = exchange
    const { pointers, pointersOmitted } = exchange
    const intent = this.state?.live.known(intentId)
    const curl = curlOf(exchange, { origin: location.origin, intent })
    const key = idempotencyKey ? html`<code>${idempotencyKey}</code>` : 'none was sent'
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
  ['', 'Everything'],
  ['create', 'Creates'],
  ['retrieve', 'Retrieves'],
  ['page', 'Hosted pages'],
  ['other', 'Others'],
] as const

function fits({ operation, status }: LoggedRequest, filter: RequestFilter): boolean {
  if (filter.operation && operation !== filter.operation) return false
  // 0: the connection ended before the answer.
  return !filter.failed || status === 0 || status >= 400
}

function empty(): TemplateResult {
  return html`<div class="welcome"><h2>No request yet</h2>
    <p>Every call of your server to <code>${location.origin}/payment-intents</code>, and every
      page that shows a checkout, is listed here as it comes: method, path, status, time. Bodies
      and credentials are never kept.</p></div>`
}
