/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import type { LintIssue, LoggedRequest } from '../../shared/sandbox-api.ts'
import { emptySection, loading, name, panes } from './markup.ts'
import { orderRow, requestDetail } from './request.ts'
import type { Sandbox } from './sandbox.ts'
import { text, time } from './show.ts'

/** Each filter with its label and its explanation. */
const filters = [
  ['', 'All', ''],
  ['failed', 'Failed', 'Rejected, or without a complete response.'],
  ['replayed', 'Replayed', 'The first intent of the Idempotency-Key was returned again.'],
  ['lost', 'Lost', 'The client got no complete response. The intent may exist.'],
  ['conflicts', 'Conflicts', 'The Idempotency-Key was used with another body, or is still in use.'],
  ['lint', 'Lint', 'What would fail or leak in production, with its fix.'],
] as const

export function requestsSection(sandbox: Sandbox): TemplateResult {
  const { data, route, search } = sandbox
  if (!data.requests) return loading(sandbox)
  const { issues = [] } = data
  const { requests } = data.requests
  if (requests.length === 0 && issues.length === 0 && !route.id) return empty(sandbox)
  const term = search.q.trim().toLowerCase()
  const matching = requests.filter((request) => matches(request, term))
  const found = {
    '': matching,
    // The 404 of a key check is expected.
    failed: matching.filter(({ operation, status }) => operation !== 'check' && isError(status)),
    replayed: matching.filter(({ replayed }) => replayed),
    lost: matching.filter(isLost),
    conflicts: matching.filter(({ problem }) => problem?.startsWith('idempotency_key_')),
    // The log may not have its request anymore.
    lint: issues.filter((issue) => matches(issue, term)),
  }
  const [filter] = filters.find(([name]) => name === search.filter) ?? filters[0]
  const isLint = filter === 'lint'
  const clear = () => sandbox.act('DELETE', 'requests')
  return panes(
    sandbox,
    {
      label: 'Requests',
      placeholder: 'Order, error, key, id',
      filters: html`<button type="button" @click=${clear}>Clear the log</button>
        <div class="row chips whole" role="group" aria-label="Show">${filters.map(
          ([show, label, hint]) => html`<button type="button" class="small" title=${hint}
          aria-pressed=${show === filter ? 'true' : 'false'} @click=${() => sandbox.find({ filter: show })}>${label} ${found[show].length}</button>`,
        )}</div>`,
      rows: isLint
        ? found.lint.map((issue) => [`${issue.rule} ${issue.detail}`, issueRow(sandbox, issue)])
        : found[filter].map((each) => [each.requestId, orderRow(sandbox, each)]),
      none: isLint
        ? 'No issues found. Lint looks for what would fail or leak in production.'
        : 'No matching requests. Show all, or change the search.',
      tools: html`${isLint ? 'Since the service started.' : 'Failed requests are kept longest.'}`,
    },
    route.id
      ? requestDetail(sandbox)
      : html`<p class="empty">Select a request to see why it failed, and what was sent and received.</p>`,
  )
}

function isError(status: number): boolean {
  return status === 0 || status >= 400
}

function isLost({ status, faults }: LoggedRequest): boolean {
  return status === 0 || faults.some((fault) => unreadable.has(fault))
}

const unreadable: ReadonlySet<string> = new Set(['truncate-body', 'stall-body', 'malformed-json'])

/** Looks at everything that a row shows: order, path, status, error, fault, key, and ids. */
function matches(shown: LoggedRequest | LintIssue, term: string): boolean {
  const { order, ...others } = { order: null, ...shown }
  const values = [Object.values(others), Object.values(order ?? {})]
  return JSON.stringify(values).toLowerCase().includes(term)
}

function issueRow(
  sandbox: Sandbox,
  { title, detail, count, lastAt, requestId, rule }: LintIssue,
): TemplateResult {
  const tone = rule.startsWith('secret') ? 'bad' : 'waiting'
  const isOpen = requestId === sandbox.route.id
  return html`<li data-tone=${tone}><a class="line" href=${sandbox.link('requests', requestId)}
    data-id=${requestId} aria-current=${isOpen ? 'true' : 'false'}>
    <b class="whole dot">${text(title)}</b><span></span>
    <span class="hint">${time(lastAt)}</span>
    <span class="hint">${count} ×</span>
    <span class="row notes hint">${name(detail, 300)}</span>
  </a></li>`
}

function empty(sandbox: Sandbox): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send one to <code>${location.origin}/payment-intents</code>, or create a test intent in
      <a href=${sandbox.link('intents')}>Intents</a>. Each request is listed here with the reason of a rejection, headers,
      and bodies. Credentials are masked.</p>`,
  )
}
