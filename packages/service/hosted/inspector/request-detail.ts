/** One request of the log: why it failed, what was sent and received, and the command that sends it again. @module */
import type { Problem } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import type { LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { codeBlock, copyButton, jsonBlock } from './code-block.ts'
import { curlOf } from './curl.ts'
import type { InspectorState } from './inspector-state.ts'
import { DetailView } from './inspector-view.ts'
import { faultText, money, timeText } from './labels.ts'
import { facts, intentLink, keyLink } from './markup.ts'
import { durationText, notes, statusTone } from './request-line.ts'
import { writeRoute } from './route.ts'

export class RequestDetail extends DetailView {
  @property({ attribute: false }) selected: string | undefined

  protected override render(): unknown {
    const exchange = this.state.exchangeOf(this.selected)
    const back = html`<a class="back" href=${writeRoute({ section: 'requests' })}>← All requests</a>`
    if (!exchange) {
      const text = this.state.isMissing ? 'The log no longer has this request.' : 'Loading…'
      return html`<section class="box stack">${back}<p class="empty">${text}</p></section>`
    }
    const { request } = exchange
    const { method, path, status } = request
    return html`<section class="box stack" aria-label=${`${method} ${path}`}>
      ${back}
      <header class="row">
        <h2 tabindex="-1">${method} ${path}</h2>
        <span class="badge" data-tone=${statusTone(request)}>${status || 'dropped'}</span>
        ${notes(request)}
      </header>
      ${reasons(request, exchange)} ${summary(this.state, exchange)} ${bodies(exchange)}
      <h3>Send again</h3>
      ${again(this.state, exchange)}
    </section>`
  }
}

function summary(state: InspectorState, { request }: LoggedExchange): TemplateResult {
  const { intentId, idempotencyKey, operation, status, faults, at, ms, order } = request
  const key = idempotencyKey ? keyLink(state, idempotencyKey) : 'None'
  const orderId = order?.orderId
  const amount = order && order.amount !== null && money(order.amount, order.currency ?? '')
  return facts([
    ['Connection', status === 0 && 'Closed before the response was sent'],
    [
      'Fault',
      faults.length > 0 && faults.map((fault) => html`<code>${fault}</code> ${faultText(fault)} `),
    ],
    ['Time', timeText(at)],
    ['Duration', durationText(ms)],
    ['Order', orderId && html`<bdi>${orderId}</bdi>${amount ? html`, ${amount}` : nothing}`],
    ['Intent', intentId && intentLink(intentId, html`<code>${intentId}</code>`)],
    ['Idempotency-Key', operation === 'create' && key],
  ])
}

/** The problem's explanation, and that of each field. */
function reasons(
  { operation, problem, pointers, pointersOmitted }: LoggedRequest,
  { responseBody }: LoggedExchange,
): TemplateResult | typeof nothing {
  if (operation === 'check') {
    return html`<p>The shop or <code>pi-checkout doctor</code> has checked its key: it read an id that no intent has. The
      404 shows that the key is valid.</p>`
  }
  if (!problem) return nothing
  // The service's own problem has these fields.
  const { detail, errors = [] } = (readJson(responseBody) ?? {}) as Partial<Problem>
  const explained = pointers.map(
    (pointer) => [pointer, errors.find((error) => error.pointer === pointer)?.detail] as const,
  )
  // A detail can join those of the fields.
  const isListed = explained.some(([, text]) => text && detail?.includes(text))
  return html`<div class="reasons">
    <p><a href="/docs#${problem}" target="_blank"><code>${problem}</code></a> ${isListed ? nothing : detail}</p>
    <ul>${explained.map(
      ([pointer, text]) => html`<li><code class="why">${pointer}</code> ${text}</li>`,
    )}</ul>
    ${pointersOmitted > 0 ? html`<p class="hint">And ${pointersOmitted} more fields.</p>` : nothing}
  </div>`
}

function bodies({
  request: { requestId, status },
  headers,
  responseHeaders,
  requestBody,
  responseBody,
}: LoggedExchange): TemplateResult {
  const received = status === 0 ? {} : { 'request-id': requestId, ...responseHeaders }
  return html`${message('Request', headers, requestBody)}${message('Response', received, responseBody)}`
}

function message(
  title: string,
  headers: Readonly<Record<string, string>>,
  text: string | null,
): TemplateResult | typeof nothing {
  const lines = Object.entries(headers)
  if (lines.length === 0 && text === null) return nothing
  return html`<h3>${title}</h3>
    ${facts(lines.map(([name, value]) => [name, html`<code>${value}</code>`]))}
    ${text === null ? nothing : body(text)}`
}

/** Sends the same request from the service, or as a command. */
function again(
  state: InspectorState,
  { request: { operation, method, path }, headers, requestBody, isExact }: LoggedExchange,
): TemplateResult {
  if (!isExact) {
    return html`<p class="hint">No command, because this log does not have the request as it was sent: it had a masked
      value, a query, no valid key, or a body that was not kept.</p>`
  }
  const request = { method, path, headers, body: requestBody }
  const token = operation === 'page' ? undefined : 'PI_API_KEY'
  const curl = (renewsKey: boolean): string =>
    curlOf(request, { origin: location.origin, token, renewsKey })
  const hasKey = headers['idempotency-key'] !== undefined
  const sendButton = (text: string, changed: object): TemplateResult => {
    const send = async (): Promise<void> => {
      const sent = await state.sendRequest({ ...request, headers: { ...headers, ...changed } })
      if (sent) location.hash = writeRoute({ section: 'requests', id: sent.requestId ?? undefined })
    }
    return html`<button type="button" @click=${send}>${text}</button>`
  }
  const canSend = operation === 'create' || operation === 'retrieve'
  return html`<div class="row">
      ${canSend ? sendButton(hasKey ? 'Send with the same key' : 'Send', {}) : nothing}
      ${canSend && hasKey ? sendButton('Send with a new key', { 'idempotency-key': crypto.randomUUID() }) : nothing}
      ${hasKey ? copyButton(curl(true), 'Copy with a new key') : nothing}
    </div>
    ${codeBlock(curl(false), 'Copy as curl')}`
}

/** JSON in colors, and other texts as they are. */
function body(text: string): TemplateResult {
  const value = readJson(text)
  return value === undefined ? codeBlock(text) : jsonBlock(value)
}

function readJson(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
