/** One request of the log, on two lines. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { clockText, money, timeText } from './labels.ts'
import { writeRoute } from './route.ts'

export function requestLine(request: LoggedRequest): TemplateResult {
  const { at, method, path, status, ms } = request
  const { order, problem, pointers, operation } = request
  const error = problem && operation !== 'check' && [problem, ...pointers].join(' ')
  return html`
    <time class="hint" datetime=${at} title=${timeText(at)}>${clockText(at)}</time>
    <span class="hint">${method}</span>
    <span class="subject" title=${path}>${order ? html`<b><bdi>${order.orderId}</bdi></b> ` : nothing}${
      order && order.amount !== null
        ? money(order.amount, order.currency ?? '')
        : html`<span class="path">${path}</span>`
    }</span>
    <span class="row">${notes(request)}${error ? html`<code class="why">${error}</code>` : nothing}</span>
    <span class="status" data-tone=${statusTone(request)}>${status || 'dropped'}</span>
    <span class="hint">${durationText(ms)}</span>`
}

/** Requests with links to the log. */
export function requestLog(requests: readonly LoggedRequest[]): TemplateResult {
  return html`<ul class="log">${requests.map(
    (request) => html`<li><a class="line"
      href=${writeRoute({ section: 'requests', id: request.requestId })}>${requestLine(request)}</a></li>`,
  )}</ul>`
}

/** What a status does not say: faults, and a replay. */
export function notes({ faults, replayed, operation }: LoggedRequest): TemplateResult {
  const isKeyCheck = operation === 'check'
  return html`${faults.map(
    (fault) => html`<span class="badge" data-tone="bad">fault: ${fault}</span>`,
  )}${replayed ? html`<span class="badge" data-tone="waiting">replayed</span>` : nothing}${isKeyCheck ? html`<span class="badge" data-tone="good">key accepted</span>` : nothing}`
}

export function statusTone({ operation, status }: LoggedRequest): string {
  return operation === 'check' ? 'quiet' : (tones[Math.floor(status / 100)] ?? 'bad')
}

export function durationText(ms: number): string {
  return `${ms < 10 ? ms : Math.round(ms)} ms`
}

/** Tones of HTTP statuses, by the first digit. */
const tones: readonly (string | undefined)[] = [undefined, undefined, 'good', 'plain', 'waiting']
