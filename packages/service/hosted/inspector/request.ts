/** One request of the log: its row, its details, and the command that sends it again. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LintIssue, LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'
import { faultText } from './faults-section.ts'
import { badge, codeBlock, loading, name } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { lines, money, readJson, text, time } from './show.ts'

export function requestDetail(sandbox: Sandbox): TemplateResult {
  const { exchange } = sandbox.data
  if (exchange === null) {
    return html`<p class="empty">The log no longer has this request. Choose a newer one of the list.</p>`
  }
  return exchange ? shown(sandbox, exchange) : loading(sandbox)
}

function shown(sandbox: Sandbox, exchange: LoggedExchange): TemplateResult {
  const { request, headers, responseHeaders, requestBody, responseBody } = exchange
  const { requestId, method, path, status: code, faults } = request
  const received = code === 0 ? {} : { 'request-id': requestId, ...responseHeaders }
  return html`<section class="box stack detail" aria-label="Request">
    <header>
      <div class="row"><h2>${operationOf(request)}</h2>${status(request)} ${notes(request)}</div>
      <p class="path">${text(method, 8)} ${text(path)}</p>
      ${about(sandbox, request)}
    </header>
    ${reasons(request, issuesOf(sandbox, requestId))} ${faults.map((fault) => html`<p>${faultText(fault)}</p>`)}
    <h3>Request</h3>
    ${message(headers, requestBody, 'No body, and no header that changes the result.')}
    <h3>Response</h3>
    ${message(received, responseBody, 'The client got no complete response. It must send the same request again.')}
    <h3>Send again</h3>
    ${command(exchange)}
  </section>`
}

/** When it was, and what it was about. */
function about(sandbox: Sandbox, { at, ms, order, intentId }: LoggedRequest): TemplateResult {
  return html`<p class="row hint"><span>${time(at)}, ${text(ms, 24)} ms</span>
    ${order ? html`<span>${name(order.orderId)} ${money(order.amount, order.currency)}</span>` : nothing}
    ${intentId ? html`<a href=${sandbox.link('intents', intentId)}><code>${text(intentId)}</code></a>` : nothing}</p>`
}

/** The problem's explanation and that of each field, and how to avoid it in production. */
function reasons(
  { operation, problem, detail, errors }: LoggedRequest,
  issues: readonly LintIssue[],
): unknown {
  if (operation === 'check') {
    return html`<p>The shop or <code>pi-checkout doctor</code> has checked its key: it read an id that no intent has. The
      404 shows that the key is valid.</p>`
  }
  if (!problem && issues.length === 0) return nothing
  // A detail can join those of the fields.
  const isListed = errors.some((error) => detail.includes(error.detail))
  return html`<div class="box reasons stack" data-tone=${problem ? 'bad' : 'waiting'}>
    ${
      problem
        ? html`<p><a href="/docs#${problem}" target="_blank"><code>${text(problem)}</code></a> ${isListed ? nothing : text(detail, 300)}</p>`
        : nothing
    }
    ${errors.map(({ pointer, detail: why }) => html`<p><code>${text(pointer)}</code> ${text(why, 300)}</p>`)}
    ${issues.map(
      // A problem has its explanation already.
      (
        issue,
      ) => html`${problem ? nothing : html`<p><b>${text(issue.title)}</b></p><p>${name(issue.detail, 300)}</p>`}
        <p>${text(issue.fix, 500)}</p>`,
    )}
  </div>`
}

/** Headers and body, whose bytes the button copies. */
function message(
  headers: Readonly<Record<string, string>>,
  body: string | null,
  none: string,
): TemplateResult {
  const sent = Object.entries(headers).map(([header, value]) => text(`${header}: ${value}`, 300))
  if (sent.length === 0 && body === null) return html`<p class="hint">${none}</p>`
  const shown = body === null ? '' : lines(readJson(body) ?? body)
  const head = sent.join('\n')
  const gap = head && shown && '\n\n'
  return codeBlock(body ?? head, 'Copy', html`<span class="hint">${head}</span>${gap}${shown}`)
}

/** The request as a curl command, without its fault. The command reads the API key from an environment variable. */
function command({ request, headers: sent, requestBody: body }: LoggedExchange): TemplateResult {
  const { method, path, operation } = request
  const { 'sandbox-fault': _, ...headers } = sent
  const isMasked = JSON.stringify([path, headers, body]).includes('…')
  if (isMasked || (method === 'POST' && body === null)) {
    return html`<p class="hint">Not possible, because this log does not have the request as it was sent: a value is
      masked, or its body was not kept.</p>`
  }
  // A GET needs no name, and curl sends a body as POST.
  const isUsual = method === (body === null ? 'GET' : 'POST')
  const parts = [
    `curl${isUsual ? '' : ` -X ${method}`} ${shellQuote(location.origin + path)}`,
    ...(operation === 'page' ? [] : ['-H "Authorization: Bearer $PI_API_KEY"']),
    ...Object.entries(headers).map(([name, value]) => `-H ${shellQuote(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${shellQuote(body)}`]),
  ]
  return codeBlock(parts.join(' \\\n  '), 'Copy as curl')
}

/** A request of a list, on two lines: its order, and what it does. */
export function requestRow(sandbox: Sandbox, request: LoggedRequest): TemplateResult {
  const { requestId, at, method, path, order, problem, errors, operation } = request
  const error =
    problem &&
    operation !== 'check' &&
    text([problem, ...errors.map(({ pointer }) => pointer)].join(' '))
  const isOpen = requestId === sandbox.data.exchange?.request.requestId
  return html`<li><a class="line" href=${sandbox.link('requests', requestId)} data-id=${requestId}
    aria-current=${isOpen ? 'true' : 'false'}>
    <span>${
      order
        ? html`<b>${name(order.orderId)}</b> ${money(order.amount, order.currency)}`
        : html`<span class="path">${text(method, 8)} ${text(path)}</span>`
    }</span>
    ${status(request)}
    <span class="hint">${operationOf(request)}</span>
    <time class="hint" datetime=${text(at, 40)}>${time(at)}</time>
    <span class="row notes">${notes(request)}${
      // A problem has its own explanation.
      error ? html`<code class="why">${error}</code>` : issuesOf(sandbox, requestId).map(issueBadge)
    }</span>
  </a></li>`
}

/** Returns what lint has found in a request. */
function issuesOf({ data }: Sandbox, id: string): readonly LintIssue[] {
  return (data.issues ?? []).filter(({ requestId }) => requestId === id)
}

function issueBadge({ rule, title }: LintIssue): TemplateResult {
  return badge(rule.startsWith('secret') ? 'bad' : 'waiting', text(title))
}

/** What the request does. Other ones are requests without a name. */
function operationOf({ operation }: LoggedRequest): string {
  return operations.get(operation) ?? 'Other request'
}

const operations: ReadonlyMap<string, string> = new Map([
  ['create', 'Create'],
  ['retrieve', 'Retrieve'],
  ['check', 'Check the key'],
  ['page', 'Open the hosted page'],
])

function status({ status, operation }: LoggedRequest): TemplateResult {
  const tone = operation === 'check' ? 'quiet' : (tones.get(Math.floor(status / 100)) ?? 'bad')
  return html`<b class="status" data-tone=${tone}>${text(status || 'dropped', 12)}</b>`
}

/** What a status does not say: faults, and a replay. */
function notes({ faults, replayed, operation }: LoggedRequest): TemplateResult {
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
