/** A request of a list: its order, what it does, and its result. @module */
import { html, type TemplateResult } from 'lit'
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'
import { label, name } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { money, text, time } from './show.ts'

/** @param issues - What lint has found in it. */
export function requestRow(
  sandbox: Sandbox,
  request: LoggedRequest,
  issues: readonly LintIssue[] = [],
  openId?: string,
): TemplateResult {
  const { requestId, at, method, path, order, problem, errors, operation } = request
  const error =
    problem && operation !== 'check'
      ? html`<code class="why">${text([problem, ...errors.map(({ pointer }) => pointer)].join(' '))}</code>`
      : undefined
  return html`<li><a class="line" href=${sandbox.link('requests', requestId)} data-id=${requestId}
    aria-current=${requestId === (sandbox.route.id ?? openId) ? 'true' : 'false'}>
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
      error ?? issues.map(({ title }) => label('waiting', text(title)))
    }</span>
  </a></li>`
}

/** What the request does. Other ones are requests without a name. */
export function operationOf({ operation }: LoggedRequest): string {
  return operations.get(operation) ?? 'Other request'
}

const operations: ReadonlyMap<string, string> = new Map([
  ['create', 'Create'],
  ['retrieve', 'Retrieve'],
  ['check', 'Check the key'],
  ['page', 'Open the hosted page'],
])

/** What a developer planned has no color of an error. */
export function status({ status, operation, faults }: LoggedRequest): TemplateResult {
  const isExpected = operation === 'check' || faults.length > 0
  const tone = isExpected ? 'quiet' : (tones.get(Math.floor(status / 100)) ?? 'bad')
  return html`<b class="status" data-tone=${tone}>${text(status || 'dropped', 12)}</b>`
}

/** Tones of HTTP statuses, by the first digit. */
const tones: ReadonlyMap<number, string> = new Map([
  [2, 'good'],
  [3, 'plain'],
  [4, 'waiting'],
])

/** What a status does not say: faults, a replay, and a key that is valid. */
export function notes({ faults, replayed, operation }: LoggedRequest): unknown {
  return [
    ...faults.map((fault) => label('plain', `fault: ${text(fault, 40)}`)),
    ...(replayed ? [label('quiet', 'replayed')] : []),
    ...(operation === 'check' ? [label('good', 'key accepted')] : []),
  ]
}
