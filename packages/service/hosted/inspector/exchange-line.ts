/**
 * One request in one line: when, what, how it ended, and why where it was refused.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { clockText, timeText } from './words.ts'

export function exchangeLine(exchange: LoggedRequest): TemplateResult {
  const { at, method, path, status, ms, replayed, idempotencyKey, problem, pointers } = exchange
  const why = problem && [problem, ...pointers].join(' ')
  return html`
    <time datetime=${at} title=${timeText(at)}>${clockText(at)}</time>
    <span class="method">${method}</span>
    <span class="path">${path}</span>
    <span class="notes">${replayed ? html`<span class="badge" data-tone="waiting">replayed</span>` : nothing}${
      why ? html`<code class="why">${why}</code>` : nothing
    }${idempotencyKey ? html`<code>${idempotencyKey}</code>` : nothing}</span>
    <span class="status" data-class=${Math.floor(status / 100)}>${status || 'dropped'}</span>
    <span class="ms">${ms < 10 ? ms : Math.round(ms)} ms</span>`
}
