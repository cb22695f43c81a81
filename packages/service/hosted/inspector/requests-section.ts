/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import type { LoggedRequest } from '../../shared/sandbox-api.ts'
import { emptySection, loading, panes } from './markup.ts'
import { issuesOf, requestDetail, requestRow } from './request.ts'
import type { Sandbox } from './sandbox.ts'

interface Filter {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly has: (request: LoggedRequest, sandbox: Sandbox) => boolean
}

const all: Filter = { name: '', label: 'All', hint: '', has: () => true }

const filters: readonly Filter[] = [
  all,
  {
    name: 'failed',
    label: 'Failed',
    hint: 'Rejected, or without a complete response.',
    // The 404 of a key check is expected.
    has: ({ operation, status }) => operation !== 'check' && (status === 0 || status >= 400),
  },
  {
    name: 'replayed',
    label: 'Replayed',
    hint: 'The first intent of the Idempotency-Key was returned again.',
    has: ({ replayed }) => replayed,
  },
  {
    name: 'lost',
    label: 'Lost',
    hint: 'The client got no complete response. The intent may exist.',
    has: ({ status, faults }) => status === 0 || faults.some((fault) => unreadable.has(fault)),
  },
  {
    name: 'conflicts',
    label: 'Conflicts',
    hint: 'The Idempotency-Key was used with another body, or is still in use.',
    has: ({ problem }) => problem?.startsWith('idempotency_key_') === true,
  },
  {
    name: 'lint',
    label: 'Lint',
    hint: 'What would fail or leak in production, with its fix.',
    has: ({ requestId }, sandbox) => issuesOf(sandbox, requestId).length > 0,
  },
]

const unreadable: ReadonlySet<string> = new Set(['truncate-body', 'stall-body', 'malformed-json'])

export function requestsSection(sandbox: Sandbox): TemplateResult {
  const { data, route, search } = sandbox
  if (!data.requests) return loading(sandbox)
  const { requests } = data.requests
  if (requests.length === 0 && !route.id) return empty(sandbox)
  const term = search.q.trim().toLowerCase()
  const matching = requests.filter((request) => matches(request, term))
  const found = ({ has }: Filter) => matching.filter((request) => has(request, sandbox))
  const filter = filters.find(({ name }) => name === search.filter) ?? all
  const clear = () => sandbox.act('DELETE', 'requests')
  return panes(
    sandbox,
    {
      label: 'Requests',
      placeholder: 'Order, error, key, id',
      filters: html`<button type="button" @click=${clear}>Clear the log</button>
        <div class="row chips whole" role="group" aria-label="Show">${filters.map(
          (each) => html`<button type="button" class="small" title=${each.hint}
          aria-pressed=${each === filter ? 'true' : 'false'} @click=${() => sandbox.find({ filter: each.name })}>${each.label} ${found(each).length}</button>`,
        )}</div>`,
      rows: found(filter).map((each) => [each.requestId, requestRow(sandbox, each)]),
      none:
        filter.name === 'lint'
          ? 'No issues found. Lint looks for what would fail or leak in production.'
          : 'No matching requests. Show all, or change the search.',
      tools: html`Failed requests are kept longest.`,
    },
    route.id
      ? requestDetail(sandbox)
      : html`<p class="empty">Select a request to see why it failed, and what was sent and received.</p>`,
  )
}

/** Looks at everything that a row shows: order, path, status, error, fault, key, and ids. */
function matches({ order, ...others }: LoggedRequest, term: string): boolean {
  const values = [Object.values(others), Object.values(order ?? {})]
  return JSON.stringify(values).toLowerCase().includes(term)
}

function empty(sandbox: Sandbox): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send one to <code>${location.origin}/payment-intents</code>, or create a test intent in
      <a href=${sandbox.link('intents')}>Intents</a>. Each request is listed here with the reason of a rejection, headers,
      and bodies. Credentials are masked.</p>`,
  )
}
