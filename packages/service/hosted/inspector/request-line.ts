/** A request of a list: its order, what it does, and its result. @module */
import { html, type TemplateResult } from 'lit'
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'
import { amountOf, badge, type Line, name } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { text } from './show.ts'

/** @param issues - What lint has found in it. */
export function lineOfRequest(
  sandbox: Sandbox,
  request: LoggedRequest,
  issues: readonly LintIssue[] = [],
): Line {
  const { requestId, at, order, problem, errors, operation } = request
  const pointers = errors.map(({ pointer }) => pointer)
  // A problem has its own explanation, and that of a key check is expected.
  const reasons = problem
    ? [html`<code class="error">${text([problem, ...pointers].join(' '))}</code>`]
    : issues.map(({ title }) => text(title))
  return {
    title: order ? name(order.orderId) : addressOf(request),
    amount: order && amountOf(order),
    badge: statusOf(request),
    notes: [operationOf(request), ...notesOf(request), ...(operation === 'check' ? [] : reasons)],
    at,
    href: sandbox.link('requests', requestId),
  }
}

/** It breaks between the parts of the path. */
export function addressOf({ method, path }: LoggedRequest): TemplateResult {
  const parts = text(path).split(/(?<=\/)/)
  return html`<code>${text(method, 8)} ${parts.map((part) => html`${part}<wbr>`)}</code>`
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
export function statusOf({ status, operation, faults }: LoggedRequest): TemplateResult {
  const isExpected = operation === 'check' || faults.length > 0
  const tone = status >= 200 && status < 400 ? 'good' : 'bad'
  return badge(text(status || 'lost', 12), isExpected ? 'quiet' : tone)
}

/** What a status does not say: faults, a replay, and a key that is valid. */
export function notesOf({ faults, replayed, operation }: LoggedRequest): readonly string[] {
  return [
    ...faults.map((fault) => `fault: ${text(fault, 40)}`),
    ...(replayed ? ['replayed'] : []),
    ...(operation === 'check' ? ['key accepted'] : []),
  ]
}
