/** The request log with its filters, and next to it the request that is open. @module */
import { html, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LintIssue } from '../../shared/sandbox-api.ts'
import { emptySection, loading, name, searchField } from './markup.ts'
import { requestDetail } from './request-detail.ts'
import { filterNames, filterRequests, type RequestFilter } from './request-filters.ts'
import { requestRow } from './request-row.ts'
import { Section } from './section.ts'
import { text, time } from './show.ts'

export class RequestsSection extends Section {
  @state() private filter: RequestFilter = { q: '', show: 'all' }

  protected override view(): unknown {
    const { sandbox, filter } = this
    const { data, route } = sandbox
    const { requests: log, issues = [] } = data
    if (!log) return loading(sandbox)
    const { requests } = log
    if (requests.length === 0 && issues.length === 0 && !route.id) return empty()
    const lists = filterRequests({ requests, issues }, filter.q)
    const isLint = filter.show === 'lint'
    const rows = isLint
      ? lists.lint.map((issue) => [`${issue.rule} ${issue.detail}`, this.#issue(issue)] as const)
      : lists[filter.show].map((each) => [each.requestId, requestRow(sandbox, each)] as const)
    return html`<div class="panes" data-open=${route.id ? 'detail' : 'list'}>
      <section class="list" aria-label="Requests">
        <div class="filters stack">
          ${searchField('Search requests', {
            placeholder: 'Order, path, status, error, key, id',
            value: filter.q,
            onInput: (q) => {
              this.filter = { ...this.filter, q }
            },
          })}
          <div class="row chips" role="group" aria-label="Show">${filterNames.map(
            ([show, label, hint]) => html`<button type="button" class="small" title=${hint}
              aria-pressed=${show === filter.show ? 'true' : 'false'} @click=${() => {
                this.filter = { ...this.filter, show }
              }}>${label} ${lists[show].length}</button>`,
          )}</div>
        </div>
        ${
          rows.length > 0
            ? html`<ul class="log">${repeat(
                rows,
                ([id]) => id,
                ([, row]) => row,
              )}</ul>`
            : html`<p class="empty">${isLint ? 'No issues found.' : 'No matching requests.'}</p>`
        }
        <p class="tools row between hint">${isLint ? 'Since the service started.' : 'The newest 500 requests.'}
          <button type="button" class="small" @click=${() => this.#clear()}>Clear the log</button></p>
      </section>
      ${
        route.id
          ? requestDetail(sandbox)
          : html`<p class="empty">Select a request to see why it failed, what was sent and received, and to send it again.</p>`
      }
    </div>`
  }

  #issue({ title, detail, count, lastAt, requestId, rule }: LintIssue): TemplateResult {
    const tone = rule.startsWith('secret') ? 'bad' : 'waiting'
    const isOpen = requestId === this.sandbox.route.id
    return html`<li data-tone=${tone}><a class="line" href=${this.sandbox.link('requests', requestId)}
      data-id=${requestId} aria-current=${isOpen ? 'true' : 'false'}>
      <b class="whole dot">${text(title)}</b><span></span>
      <span class="hint">${time(lastAt)}</span>
      <span class="hint">${count} ×</span>
      <span class="row notes hint">${name(detail, 300)}</span>
    </a></li>`
  }

  #clear(): void {
    void this.sandbox.change('DELETE', 'requests')
  }
}

function empty(): TemplateResult {
  return emptySection(
    'No requests yet',
    html`<p class="hint">Send a request to <code>${location.origin}/payment-intents</code>, or open a checkout. Each
      request is listed here with the reason of a rejection, headers, and bodies. Credentials are masked.</p>`,
  )
}
