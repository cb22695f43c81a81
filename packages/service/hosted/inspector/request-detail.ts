/** One request of the log: its reason, its bodies, and the command that sends it again. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { LintIssue, LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { amountOf, copyable, facts, name } from './markup.ts'
import { addressOf, notesOf, operationOf, statusOf } from './request-line.ts'
import type { Sandbox } from './sandbox.ts'
import { lines, readJson, text, time } from './show.ts'

export function requestDetail(
  sandbox: Sandbox,
  exchange: LoggedExchange,
  issues: readonly LintIssue[],
): TemplateResult {
  const { request, headers, responseHeaders, requestBody, responseBody } = exchange
  const { requestId, status: code, at, ms, order, intentId } = request
  const received = code === 0 ? {} : { 'request-id': requestId, ...responseHeaders }
  const curl = commandOf(exchange)
  return html`<section class="stack detail" aria-label="Request">
      <header class="box stack">
        <div class="row between"><h1 class="row">${operationOf(request)} ${statusOf(request)}</h1>
          <b class="title">${order && amountOf(order)}</b></div>
        ${facts({
          Order: order && name(order.orderId),
          'Payment Intent':
            intentId &&
            html`<a href=${sandbox.link('intents', intentId)}><code>${text(intentId)}</code></a>`,
          Request: addressOf(request),
          Sent: `${time(at)}, ${text(ms, 24)}\u00a0ms`,
          Note: notesOf(request).join(', '),
        })}
        ${reasons(request, issues)}
      </header>
      <div class="columns">
        <section class="stack"><h2>Request</h2>
          ${message(headers, requestBody, 'No body.')}</section>
        <section class="stack"><h2>Response</h2>
          ${message(received, responseBody, 'No complete response: the same request must be sent again.')}</section>
      </div>
      <h2>Send again</h2>
      ${
        curl
          ? copyable(curl)
          : html`<p class="hint">No command: part of the request is masked or was not kept.</p>`
      }
    </section>`
}

/** The problem's explanation or that of each field, and how to avoid it in production. */
function reasons(request: LoggedRequest, issues: readonly LintIssue[]): unknown {
  const { operation, faults, problem, detail, errors } = request
  const isExpected = operation === 'check' || (!problem && issues.length === 0)
  if (isExpected) return nothing
  const tone = problem && faults.length === 0 ? 'bad' : 'waiting'
  const details = errors.length > 0 ? errors.map((error) => error.detail) : [detail]
  return html`<div class="reasons stack" data-tone=${tone}>
    ${
      problem
        ? html`<p><a href="/docs#${problem}" target="_blank"><code>${text(problem)}</code></a></p>
            ${details.map((each) => html`<p>${text(each, 300)}</p>`)}`
        : nothing
    }
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
  if (sent.length === 0 && body === null) return html`<p class="hint">${none}</p>`
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
