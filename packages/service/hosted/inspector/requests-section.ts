/** The request log with its filters, or the request of the address. @module */
import { html } from 'lit'
import type { LintIssue, LoggedExchange, LoggedRequest } from '../../shared/sandbox-api.ts'
import { empty, list } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { findRequests, requestFilters } from './request-filters.ts'
import { lineOfRequest } from './request-line.ts'
import type { Source } from './sandbox.ts'
import { text } from './show.ts'

export async function requestsSection({ sandbox, route, get }: Source): Promise<() => unknown> {
  const lint = await get<{ readonly findings: readonly LintIssue[] }>('lint')
  const issues = lint?.findings ?? []
  const issuesOf = (id: string) => issues.filter(({ requestId }) => requestId === id)
  if (route.id) {
    const exchange = await get<LoggedExchange>(`requests/${route.id}`)
    return () =>
      exchange
        ? requestDetail(sandbox, exchange, issuesOf(exchange.request.requestId))
        : empty('The log no longer has this request', 'Choose a newer one from the list.')
  }
  const log = await get<{ readonly requests: readonly LoggedRequest[] }>('requests')
  // A response can be late.
  const requests = (log?.requests ?? []).toSorted((a, b) => text(b.at).localeCompare(text(a.at)))
  const button = (filter: string) => {
    const isChosen = filter === (sandbox.route.filter ?? 'All')
    return html`<button type="button" class="small" aria-pressed=${isChosen ? 'true' : 'false'}
      @click=${() => sandbox.find({ filter: filter === 'All' ? undefined : filter })}>${filter}</button>`
  }
  return () =>
    list(sandbox, {
      label: 'requests',
      placeholder: 'Order, error, key, id',
      filters: html`<div class="row filters" role="group" aria-label="Show">${[...requestFilters.keys()].map(button)}</div>`,
      lines: findRequests({ requests, issues }, sandbox.route).map((request) =>
        lineOfRequest(sandbox, request, issuesOf(request.requestId)),
      ),
      none: empty(
        'No requests yet',
        'Each request of your server appears here immediately, with the reason if it fails.',
        html`<a href="/docs#create">How to send one</a>`,
      ),
    })
}
