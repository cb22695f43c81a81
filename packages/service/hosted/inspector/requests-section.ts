/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import { loading, panes } from './markup.ts'
import { requestDetail, requestRow } from './request.ts'
import { findRequests, requestFilters } from './request-filters.ts'
import type { Sandbox } from './sandbox.ts'

export function requestsSection(sandbox: Sandbox): TemplateResult {
  const { data, route, search } = sandbox
  if (!data.requests) return loading(sandbox)
  const requests = findRequests({ requests: data.requests, issues: data.issues ?? [] }, search)
  const chips = requestFilters.map(
    ({ name, hint }) => html`<button type="button" class="small" title=${hint}
      aria-pressed=${name === search.filter ? 'true' : 'false'} @click=${() => sandbox.find({ filter: name })}>${name}</button>`,
  )
  return panes(
    sandbox,
    {
      label: 'Requests',
      placeholder: 'Order, error, key, id',
      filters: html`<div class="row chips" role="group" aria-label="Show">${chips}</div>`,
      rows: requests.map((each) => [each.requestId, requestRow(sandbox, each)]),
      none: 'No requests here. Each one that your server sends is listed at once, with the reason of a rejection.',
    },
    route.id || requests.length > 0 ? requestDetail(sandbox) : '',
  )
}
