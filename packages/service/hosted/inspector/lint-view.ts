/**
 * Problems of the integration that would matter in production, each with its fix.
 *
 * @module
 */
import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { LintIssue } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'
import { copyButton } from './copy.ts'
import { InspectorView } from './inspector-view.ts'
import { timeText } from './labels.ts'
import { writeRoute } from './route.ts'

export class LintView extends InspectorView {
  protected override render(): unknown {
    const { issues } = this.state
    if (issues.length === 0) {
      return html`<div class="box welcome"><h2>No issues found</h2>
        <p class="hint">The lint checks your requests for creates without an Idempotency-Key, keys used with a
          different body, intents polled too fast, secret keys in browsers or addresses, and pages of
          unregistered origins.</p></div>`
    }
    return html`<div class="tools"><p class="hint">Since the service started. An issue that is not fixed is listed again.</p>
      <button type="button" @click=${() => void this.state.change('DELETE', 'lint')}>Clear</button></div>
    <ul class="issues">${repeat(
      issues,
      ({ rule, detail }) => `${rule} ${detail}`,
      (issue) => this.#issue(issue),
    )}</ul>`
  }

  #issue({
    rule,
    title,
    detail,
    fix,
    count,
    lastAt,
    intentId,
    requestId,
    origin,
    environment,
  }: LintIssue): TemplateResult {
    const tone = rule.startsWith('secret') ? 'bad' : 'waiting'
    return html`<li class="box" data-rule=${rule} data-tone=${tone}>
      <h2>${title}</h2>
      <p><bdi>${detail}</bdi></p>
      <p class="hint">${fix}</p>
      ${origin && environment ? this.#registration(origin, environment) : nothing}
      <p class="hint">${count === 1 ? 'Once' : `${count} times`}, last ${timeText(lastAt)}${
        intentId
          ? html` · <a href=${writeRoute({ section: 'intents', id: intentId })}>View intent</a>`
          : nothing
      } · <a href=${writeRoute({ section: 'requests', id: requestId })}>View request</a></p>
    </li>`
  }

  #registration(origin: string, environment: string): TemplateResult {
    const { environments, commandOptions: options } = this.state
    const merchant = environments.find(({ id }) => id === environment)?.merchant
    const owner = merchant ? ` --merchant ${shellQuote(merchant)}` : ''
    const command = `npx pi-service origins add ${origin}${owner}${options ?? ''}`
    const register = async (): Promise<void> => {
      await this.state.run(
        async (api) => await api.send('POST', `/environments/${environment}/origins`, { origin }),
      )
    }
    return html`
      ${
        options === null
          ? nothing
          : html`<div class="code">${copyButton('Copy', () => command)}<pre tabindex="0">${command}</pre></div>`
      }
      <p><button type="button" class="primary" @click=${register}>Register ${origin}</button></p>`
  }
}
