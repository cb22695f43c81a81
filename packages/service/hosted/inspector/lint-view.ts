/** Problems of the integration that would matter in production, each with its fix. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { LintIssue } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'
import { codeBlock } from './code-block.ts'
import type { InspectorState } from './inspector-state.ts'
import { timeText } from './labels.ts'
import { emptySection, intentLink } from './markup.ts'
import { writeRoute } from './route.ts'

export function lintView(state: InspectorState): TemplateResult {
  const { findings = [] } = state.lists.lint ?? {}
  if (findings.length === 0) {
    return emptySection(
      'No issues found',
      html`<p class="hint">The lint checks your requests for creates without an Idempotency-Key, keys used with a
        different body, intents polled too fast, secret keys in browsers or addresses, and pages of
        unregistered origins.</p>`,
    )
  }
  return html`<div class="tools row between"><p class="hint">Since the service started. Fixed issues don’t come back.</p>
    <button type="button" @click=${() => void state.change('DELETE', 'lint')}>Clear</button></div>
  <ul class="issues stack">${repeat(
    findings,
    ({ rule, detail }) => `${rule} ${detail}`,
    (issue) => issueBox(state, issue),
  )}</ul>`
}

function issueBox(state: InspectorState, issue: LintIssue): TemplateResult {
  const { rule, title, detail, fix, count, lastAt } = issue
  const { intentId, requestId } = issue
  const tone = rule.startsWith('secret') ? 'bad' : 'waiting'
  return html`<li class="box stack" data-tone=${tone}>
    <h2>${title}</h2>
    <p><bdi>${detail}</bdi></p>
    <p class="hint">${fix}</p>
    ${registration(state, issue)}
    <p class="hint">${count === 1 ? 'Once' : `${count} times`}, last ${timeText(lastAt)}${
      intentId ? html` · ${intentLink(intentId, 'View intent')}` : nothing
    } · <a href=${writeRoute({ section: 'requests', id: requestId })}>View request</a></p>
  </li>`
}

/** Offers to register the origin of a page that the service has rejected. */
function registration(state: InspectorState, { origin, environment }: LintIssue): unknown {
  if (!origin || !environment) return nothing
  const { environments, commandOptions: options } = state
  const merchant = environments.find(({ id }) => id === environment)?.merchant
  const owner = merchant ? ` --merchant ${shellQuote(merchant)}` : ''
  const command = `npx pi-service origins add ${origin}${owner}${options ?? ''}`
  const path = `/environments/${environment}/origins`
  return html`
    ${options === null ? nothing : codeBlock(command)}
    <p><button type="button" class="primary"
      @click=${() => state.send('POST', path, { origin })}>Register ${origin}</button></p>`
}
