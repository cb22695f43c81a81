/** One request of the log: why it failed, what was sent and received, and the command that sends it again. @module */
import type { Problem } from '@pi-checkout/contract'
import { html, nothing, type TemplateResult } from 'lit'
import type { LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { codeBlock, copyButton, jsonBlock } from './code-block.ts'
import { curlOf } from './curl.ts'
import type { InspectorState } from './inspector-state.ts'
import { faultText, timeText } from './labels.ts'
import { facts, intentLink, keyLink } from './markup.ts'
import { writeRoute } from './route.ts'

export function requestDetail(state: InspectorState, request: LoggedRequest): TemplateResult {
  const { requestId, intentId, idempotencyKey, operation, status, faults, at, repeats } = request
  const exchange = state.exchangeOf(requestId)
  const key = idempotencyKey ? keyLink(state, idempotencyKey) : 'None'
  return html`<div class="more stack">
    ${reasons(request, exchange)}
    ${facts([
      ['Status', status === 0 ? 'The connection closed before the response was sent' : status],
      [
        'Fault',
        faults.length > 0 &&
          faults.map((fault) => html`<code>${fault}</code> ${faultText(fault)} `),
      ],
      ['Time', timeText(at) + (repeats > 0 ? `, then ${repeats} more times` : '')],
      ['Request id', html`<code>${requestId}</code>`],
      ['Intent', intentId && intentLink(intentId, html`<code>${intentId}</code>`)],
      ['Order', exchange?.orderId && html`<bdi>${exchange.orderId}</bdi>`],
      ['Idempotency-Key', operation === 'create' && key],
    ])}
    ${exchange ? bodies(state, request, exchange) : html`<p class="hint">Loading…</p>`}
  </div>`
}

/** The problem's explanation, and that of each field. */
function reasons(
  { operation, problem, pointers, pointersOmitted }: LoggedRequest,
  exchange: LoggedExchange | undefined,
): TemplateResult | typeof nothing {
  if (operation === 'check') {
    return html`<p>The shop or <code>pi-checkout doctor</code> has checked its key: it read an id that no intent has. The
      404 shows that the key is valid.</p>`
  }
  if (!problem) return nothing
  // The service's own problem has these fields.
  const { detail, errors = [] } = (readJson(exchange?.responseBody) ?? {}) as Partial<Problem>
  const explained = pointers.map(
    (pointer) => [pointer, errors.find((error) => error.pointer === pointer)?.detail] as const,
  )
  // A detail can join those of the fields.
  const isListed = explained.some(([, text]) => text && detail?.includes(text))
  return html`<div class="reasons">
    <p><a href="/docs#${problem}" target="_blank"><code>${problem}</code></a> ${isListed ? nothing : detail}</p>
    <ul>${explained.map(
      ([pointer, text]) => html`<li class="row"><code class="why">${pointer}</code> ${text}</li>`,
    )}</ul>
    ${pointersOmitted > 0 ? html`<p class="hint">And ${pointersOmitted} more fields.</p>` : nothing}
  </div>`
}

function bodies(
  state: InspectorState,
  request: LoggedRequest,
  exchange: LoggedExchange,
): TemplateResult {
  const { requestBody, responseBody, headers, isExact } = exchange
  const sent = Object.entries(headers)
  return html`
    ${
      sent.length > 0 || requestBody !== null
        ? html`<h2>Request</h2>
          ${facts(sent.map(([name, value]) => [name, html`<code>${value}</code>`]))}
          ${requestBody === null ? nothing : body(requestBody)}`
        : nothing
    }
    ${responseBody === null ? nothing : html`<h2>Response</h2>${body(responseBody)}`}
    <h2>Send again</h2>
    ${
      isExact
        ? again(state, request, exchange)
        : html`<p class="hint">No command, because this log does not have the request as it was sent: it had a
          masked value, a query, no valid key, or a body that was not kept.</p>`
    }`
}

/** Sends the same request from the service, or as a command. */
function again(
  state: InspectorState,
  { operation, method, path }: LoggedRequest,
  { headers, requestBody }: LoggedExchange,
): TemplateResult {
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

function readJson(text: string | null | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
