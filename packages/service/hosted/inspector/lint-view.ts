/**
 * What the integration does that will hurt in production, each with its fix.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property } from 'lit/decorators.js'
import { repeat } from 'lit/directives/repeat.js'
import type { LintIssue } from '../../shared/sandbox-api.ts'
import { shellQuote } from '../../shared/shell-quote.ts'
import { copyButton } from './copy.ts'
import type { ViewState } from './inspector.ts'
import { writeRoute } from './route.ts'
import { timeText } from './words.ts'

export class LintView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  protected override render(): unknown {
    const findings = this.state?.live.findings ?? []
    if (findings.length === 0) {
      return html`<div class="welcome"><h2>Nothing to complain about</h2>
        <p>The lint watches your requests for what hurts in production: creates without an
          Idempotency-Key, keys that come with another body, intents polled too fast, secret keys in
          browsers or addresses, and pages of unregistered origins.</p></div>`
    }
    const clear = async (): Promise<void> => {
      await this.state?.live.act(async (api, id) => await api.clearFindings(id))
    }
    return html`<div class="tools"><p class="hint">Since this start of the service; what stays wrong comes back.</p>
      <button type="button" @click=${clear}>Clear</button></div>
    <ul class="findings">${repeat(
      findings,
      ({ rule, detail }) => `${rule} ${detail}`,
      (finding) => this.#finding(finding),
    )}</ul>`
  }

  #finding({
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
    return html`<li data-rule=${rule}>
      <h2>${title}</h2>
      <p><bdi>${detail}</bdi></p>
      <p class="fix">${fix}</p>
      ${origin && environment ? this.#registration(origin, environment) : nothing}
      <p class="hint">${count === 1 ? 'Once' : `${count} times`}, last ${timeText(lastAt)}${
        intentId
          ? html` · <a href=${writeRoute({ section: 'intents', id: intentId })}>the intent</a>`
          : nothing
      } · <a href=${writeRoute({ section: 'requests', id: requestId })}>the request</a></p>
    </li>`
  }

  #registration(origin: string, environment: string): TemplateResult {
    const { live } = this.state ?? {}
    const merchant = live?.environments.find(({ id }) => id === environment)?.merchant
    const options = live?.commandOptions
    const whose = merchant ? ` --merchant ${shellQuote(merchant)}` : ''
    const command = `npx pi-service origins add ${origin}${whose}${options ?? ''}`
    const register = async (): Promise<void> => {
      await live?.act(async (api) => await api.registerOrigin(environment, origin))
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
