/** One request of the log, on two lines. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { badge, name } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { clock, duration, money, text, time } from './show.ts'

export function requestRow(sandbox: Sandbox, request: LoggedRequest): TemplateResult {
  const { requestId, at, method, path, ms, order, problem, errors, operation } = request
  const error =
    problem &&
    operation !== 'check' &&
    text([problem, ...errors.map(({ pointer }) => pointer)].join(' '))
  const isOpen = requestId === sandbox.route.id
  return html`<li><a class="line" href=${sandbox.link('requests', requestId)} data-id=${requestId}
    aria-current=${isOpen ? 'true' : 'false'}>
    <span class="subject">${
      order
        ? html`<b>${name(order.orderId)}</b> ${money(order.amount, order.currency)}`
        : html`<span class="path">${text(path)}</span>`
    }</span>
    ${status(request)}
    <span class="hint">${text(method, 8)} <time datetime=${text(at, 40)}
      title=${time(at)}>${clock(at)}</time></span>
    <span class="hint">${duration(ms)}</span>
    <span class="row notes">${notes(request)}${error ? html`<code class="why">${error}</code>` : nothing}</span>
  </a></li>`
}

export function status({ status, operation }: LoggedRequest): TemplateResult {
  const tone = operation === 'check' ? 'quiet' : (tones.get(Math.floor(status / 100)) ?? 'bad')
  return html`<b class="status" data-tone=${tone}>${text(status || 'dropped', 12)}</b>`
}

/** What a status does not say: faults, and a replay. */
export function notes({ faults, replayed, operation }: LoggedRequest): TemplateResult {
  return html`${faults.map((fault) => badge('bad', `fault: ${text(fault, 40)}`))}${
    replayed ? badge('waiting', 'replayed') : nothing
  }${operation === 'check' ? badge('good', 'key accepted') : nothing}`
}

/** Tones of HTTP statuses, by the first digit. */
const tones: ReadonlyMap<number, string> = new Map([
  [2, 'good'],
  [3, 'plain'],
  [4, 'waiting'],
])
