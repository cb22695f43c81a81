/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import type { LintIssue } from '../../shared/sandbox-api.ts'
import { emptySection, loading, name, panes } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { filterNames, filterRequests } from './request-filters.ts'
import { requestRow } from './request-row.ts'
import { Section } from './section.ts'
import { text, time } from './show.ts'

export class RequestsSection extends Section {
  @state() private search = ''

  protected override view(): unknown {
    const { sandbox, search } = this
    const { filter } = sandbox
    const { requests: log, issues = [] } = sandbox.data
    if (!log) return loading(sandbox)
    const { requests } = log
    const { id } = sandbox.route
    if (requests.length === 0 && issues.length === 0 && !id) return empty()
    const found = filterRequests({ requests, issues }, search)
    const isLint = filter === 'lint'
    const clear = () => sandbox.change('DELETE', 'requests')
    return panes(
      {
        label: 'Requests',
        placeholder: 'Order, path, status, error, key, id',
        search,
        onSearch: (value) => {
          this.search = value
        },
        filters: html`<div class="row chips" role="group" aria-label="Show">${filterNames.map(
          ([show, label, hint]) => html`<button type="button" class="small" title=${hint}
            aria-pressed=${show === filter ? 'true' : 'false'} @click=${() => sandbox.show(show)}>${label} ${found[show].length}</button>`,
        )}</div>`,
        rows: isLint
          ? found.lint.map((issue) => [`${issue.rule} ${issue.detail}`, this.#issue(issue)])
          : found[filter].map((each) => [each.requestId, requestRow(sandbox, each)]),
        none: isLint ? 'No issues found.' : 'No matching requests.',
        tools: html`${isLint ? 'Since the service started.' : 'Failed requests are kept longest.'}
          <button type="button" class="small" @click=${clear}>Clear the log</button>`,
      },
      id
        ? requestDetail(sandbox)
        : html`<p class="empty">Select a request to see why it failed, and what was sent and received.</p>`,
    )
  }

  #issue({ title, detail, count, lastAt, requestId, rule }: LintIssue): TemplateResult {
    const tone = rule.startsWith('secret') ? 'bad' : 'waiting'
    const isOpen = requestId === this.sandbox.route.id
    return html`<li data-tone=${tone}><a href=${this.sandbox.link('requests', requestId)}
      data-id=${requestId} aria-current=${isOpen ? 'true' : 'false'}>
      <b class="whole dot">${text(title)}</b><span></span>
      <span class="hint">${time(lastAt)}</span>
      <span class="hint">${count} ×</span>
      <span class="row notes hint">${name(detail, 300)}</span>
    </a></li>`
  }
}

function empty(): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send a request to <code>${location.origin}/payment-intents</code>, or open a checkout. Each
      request is listed here with the reason of a rejection, headers, and bodies. Credentials are masked.</p>`,
  )
}
