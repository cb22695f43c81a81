/** One request of the log: its reason, its bodies, and the command that sends it again. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LintIssue, LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { faultText } from './faults-section.ts'
import { copyable, name } from './markup.ts'
import { notesOf, operationOf, statusOf } from './request-line.ts'
import type { Sandbox } from './sandbox.ts'
import { lines, money, readJson, text, time } from './show.ts'

export function requestDetail(
  sandbox: Sandbox,
  exchange: LoggedExchange,
  issues: readonly LintIssue[],
): TemplateResult {
  const { request, headers, responseHeaders, requestBody, responseBody } = exchange
  const { requestId, method, path, status: code, at, ms, order, intentId } = request
  const received = code === 0 ? {} : { 'request-id': requestId, ...responseHeaders }
  const curl = commandOf(exchange)
  const facts = [
    html`<code>${text(method, 8)} ${text(path)}</code>`,
    `${time(at)}, ${text(ms, 24)} ms`,
    ...notesOf(request),
    ...(order ? [html`${name(order.orderId)} ${money(order.amount, order.currency)}`] : []),
    ...(intentId
      ? [html`<a href=${sandbox.link('intents', intentId)}><code>${text(intentId)}</code></a>`]
      : []),
  ]
  return html`<section class="stack detail" aria-label="Request">
      <header class="box stack">
        <h1 class="row">${operationOf(request)} ${statusOf(request)}</h1>
        <p class="notes hint">${facts.map((fact) => html`<span>${fact}</span>`)}</p>
        ${reasons(request, issues)}
      </header>
      <div class="columns">
        <section class="stack"><h2>Request</h2>
          ${message(headers, requestBody, 'No body, and no header that changes the result.')}</section>
        <section class="stack"><h2>Response</h2>
          ${message(received, responseBody, 'The client got no complete response. It must send the same request again.')}</section>
      </div>
      <h2>Send again</h2>
      ${
        curl
          ? copyable(curl)
          : html`<p class="box hint">Not possible, because this log does not have the request as it was sent: a value is
              masked (“…”), or its body was not kept.</p>`
      }
    </section>`
}

/** Planned faults, the problem's explanation and that of each field, and how to avoid it in production. */
function reasons(request: LoggedRequest, issues: readonly LintIssue[]): unknown {
  const { operation, faults, problem, detail, errors } = request
  if (operation === 'check') {
    return html`<p>The shop or <code>pi-checkout doctor</code> has checked its key: it read an id that no intent has. The
      404 shows that the key is valid.</p>`
  }
  if (faults.length === 0 && !problem && issues.length === 0) return nothing
  const tone = problem ? 'bad' : 'waiting'
  // A detail can join those of the fields.
  const isListed = errors.some((error) => detail.includes(error.detail))
  return html`<div class="reasons stack" data-tone=${faults.length > 0 ? 'plain' : tone}>
    ${faults.map((fault) => html`<p><b>Planned fault: <code>${text(fault, 40)}</code></b></p><p>${faultText(fault)}</p>`)}
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

/** Headers and body. */
function message(
  headers: Readonly<Record<string, string>>,
  body: string | null,
  none: string,
): TemplateResult {
  const sent = Object.entries(headers).map(([header, value]) => text(`${header}: ${value}`, 300))
  if (sent.length === 0 && body === null) return html`<p class="box hint">${none}</p>`
  const shown = body === null ? '' : lines(readJson(body) ?? body)
  const gap = sent.length > 0 && shown ? '\n\n' : ''
  return html`<pre tabindex="0"><span class="hint">${sent.join('\n')}</span>${gap}${shown}</pre>`
}

/**
 * Returns the request as a curl command, without its fault, or `undefined` if the log does not have all of it. The command
 * reads the API key from an environment variable.
 */
function commandOf({
  request,
  headers: sent,
  requestBody: body,
}: LoggedExchange): string | undefined {
  const { method, path, operation } = request
  const { 'sandbox-fault': _, ...headers } = sent
  const isMasked = JSON.stringify([path, headers, body]).includes('…')
  if (isMasked || (method === 'POST' && body === null)) return undefined
  const parts = [
    `curl -X ${method} ${quoted(location.origin + path)}`,
    ...(operation === 'page' ? [] : ['-H "Authorization: Bearer $PI_API_KEY"']),
    ...Object.entries(headers).map(([header, value]) => `-H ${quoted(`${header}: ${value}`)}`),
    ...(body === null ? [] : [`--data-raw ${quoted(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** For a shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", `'\\''`)}'`
}
