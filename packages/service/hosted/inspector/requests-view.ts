/**
 * The request log: what servers and pages asked, with the command that asks it again.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property, state } from 'lit/decorators.js'
import { repeat } from 'lit/directives/repeat.js'
import type { Exchange } from '../../src/sandbox/journal.ts'
import { copyButton } from './copy.ts'
import { curlOf } from './curl.ts'
import type { ViewState } from './inspector.ts'
import { writeRoute } from './route.ts'
import { clockText, timeText } from './words.ts'

export class RequestsView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined
  @state() private sought = ''
  @state() private open: number | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const requests = this.state?.live.requests ?? []
    if (requests.length === 0) {
      return html`<div class="welcome"><h2>No request yet</h2>
        <p>Every call of your server to <code>${location.origin}/payment-intents</code>, and every
          page that shows a checkout, is listed here as it comes: method, path, status, time. Bodies
          and credentials are never kept.</p></div>`
    }
    const shown = requests.filter(({ method, path, status, requestId }) =>
      `${method} ${path} ${status} ${requestId}`.toLowerCase().includes(this.sought),
    )
    return html`
      <div class="filters"><input type="search" placeholder="Path, status, request id"
        aria-label="Search requests" @input=${({ target }: Event) => {
          if (target instanceof HTMLInputElement) this.sought = target.value.trim().toLowerCase()
        }}></div>
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

  #row(exchange: Exchange): TemplateResult {
    const { number, at, method, path, status, ms, replayed, idempotencyKey } = exchange
    const isOpen = this.open === number
    const toggle = (): void => {
      this.open = isOpen ? undefined : number
    }
    return html`<li>
      <button type="button" class="line" aria-expanded=${isOpen ? 'true' : 'false'} @click=${toggle}>
        <time datetime=${at} title=${timeText(at)}>${clockText(at)}</time>
        <span class="method">${method}</span>
        <span class="path">${path}</span>
        <span class="notes">${replayed ? html`<span class="badge" data-tone="waiting">replayed</span>` : nothing}${
          idempotencyKey ? html`<code>${idempotencyKey}</code>` : nothing
        }</span>
        <span class="status" data-class=${Math.floor(status / 100)}>${status || 'dropped'}</span>
        <span class="ms">${ms < 10 ? ms : Math.round(ms)} ms</span>
      </button>
      ${isOpen ? this.#more(exchange) : nothing}
    </li>`
  }

  #more(exchange: Exchange): TemplateResult {
    const { requestId, intentId, idempotencyKey, operation } = exchange
    const intent = this.state?.live.intents?.find(({ id }) => id === intentId)
    const curl = curlOf(exchange, { origin: location.origin, intent })
    return html`<div class="more">
      <dl>
        <div><dt>Request id</dt><dd><code>${requestId}</code></dd></div>
        ${
          intentId
            ? html`<div><dt>Intent</dt><dd><a href=${writeRoute({ section: 'intents', intentId })}><code>${intentId}</code></a></dd></div>`
            : nothing
        }
        ${
          operation === 'create'
            ? html`<div><dt>Idempotency-Key</dt><dd>${idempotencyKey ? html`<code>${idempotencyKey}</code>` : 'none was sent'}</dd></div>`
            : nothing
        }
      </dl>
      <div class="code">${copyButton('Copy as curl', () => curl)}<pre tabindex="0">${curl}</pre></div>
    </div>`
  }
}
