/** One line of the request log. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { clockText, money, timeText } from './labels.ts'

export function requestLine(request: LoggedRequest): TemplateResult {
  const { at, method, path, status, ms, replayed, repeats, faults, operation } = request
  const { problem, pointers, order } = request
  const isKeyCheck = operation === 'check'
  const error = problem && !isKeyCheck && [problem, ...pointers].join(' ')
  return html`
    <time class="hint" datetime=${at} title=${timeText(at)}>${clockText(at)}</time>
    <span class="hint method">${method}</span>
    <span class="subject" title=${path}>${
      order
        ? html`<b><bdi>${order.orderId}</bdi></b> ${order.amount === null ? nothing : money(order.amount, order.currency ?? '')}`
        : html`<span class="path">${path}</span>`
    }</span>
    <span class="row">${faults.map(
      (fault) => html`<span class="badge" data-tone="bad">fault: ${fault}</span>`,
    )}${replayed ? html`<span class="badge" data-tone="waiting">replayed</span>` : nothing}${
      repeats > 0
        ? html`<span class="badge" title="Retrieved ${repeats + 1} times">${repeats + 1} ×</span>`
        : nothing
    }${isKeyCheck ? html`<span class="badge" data-tone="good">key accepted</span>` : nothing}${
      error ? html`<code class="why">${error}</code>` : nothing
    }</span>
    <span class="status" data-tone=${isKeyCheck ? 'quiet' : (tones[Math.floor(status / 100)] ?? 'bad')}>${status || 'dropped'}</span>
    <span class="hint ms">${ms < 10 ? ms : Math.round(ms)} ms</span>`
}

/** Tones of HTTP statuses, by the first digit. */
const tones: readonly (string | undefined)[] = [undefined, undefined, 'good', 'plain', 'waiting']
