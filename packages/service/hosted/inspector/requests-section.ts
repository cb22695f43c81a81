/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import { panes } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { findRequests, requestFilters } from './request-filters.ts'
import { requestRow } from './request-row.ts'
import type { Reading, Sandbox } from './sandbox.ts'

export function requestsSection(sandbox: Sandbox, reading: Reading): TemplateResult {
  const { issues, openId, exchange } = reading
  const { route } = sandbox
  const issuesOf = (id: string) => issues.filter(({ requestId }) => requestId === id)
  const chips = [...requestFilters.keys()].map(
    (filter) => html`<button type="button" class="small"
      aria-pressed=${filter === (route.filter ?? 'All') ? 'true' : 'false'} @click=${() => sandbox.find({ filter })}>${filter}</button>`,
  )
  return panes(
    sandbox,
    {
      label: 'Requests',
      placeholder: 'Order, error, key, id',
      filters: html`<div class="row chips" role="group" aria-label="Show">${chips}</div>`,
      rows: findRequests(reading, route).map((each) => [
        each.requestId,
        requestRow(sandbox, each, issuesOf(each.requestId), openId),
      ]),
      none: 'No requests here. Each request of your server appears here immediately, with the reason if it fails.',
      gone: 'The log no longer has this request. Choose a newer one of the list.',
    },
    exchange && requestDetail(sandbox, exchange, issuesOf(exchange.request.requestId)),
  )
}
