/** Fault rules: what breaks, and how often. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import type { StoredFaultRule } from '../../shared/sandbox-api.ts'
import { faultLabels } from './labels.ts'
import { loading, name } from './markup.ts'
import { requestRow } from './request-row.ts'
import { Section } from './section.ts'
import { text } from './show.ts'

export class FaultsSection extends Section {
  @state() private fault = 'drop-after-commit'

  protected override view(): unknown {
    const { data, environment } = this.sandbox
    if (!data.faults) return loading(this.sandbox)
    const { rules, requests } = data.faults
    return html`<div class="cards columns">
      <section class="box stack">
        <h2>Break the next requests</h2>
        <p class="hint">Tests how your server handles a lost, late, or wrong response of
          <b>${name(environment?.merchant)}</b>. For a single request, send the header <code>Sandbox-Fault</code>.</p>
        ${this.#form()}
      </section>
      <section class="box stack">
        <h2>Fault rules</h2>
        ${rules.length > 0 ? this.#rules(rules) : html`<p class="hint">No fault rules. Responses are not modified.</p>`}
        ${
          requests.length > 0
            ? html`<h3>Requests with a fault</h3>
              <ul class="rows">${requests.map((request) => requestRow(this.sandbox, request))}</ul>`
            : nothing
        }
      </section>
    </div>`
  }

  #form(): TemplateResult {
    const needsTime = this.fault === 'delay'
    const choose = ({ target }: Event): void => {
      if (target instanceof HTMLSelectElement) this.fault = target.value
    }
    return html`<form class="fields columns" @submit=${this.#add}>
      <label>Operation
        <select name="on"><option value="create">create</option><option value="retrieve">retrieve</option></select>
      </label>
      <label>Fault
        <select @change=${choose}>${[...faultLabels.keys()].map((each) => html`<option>${each}</option>`)}</select>
      </label>
      <label ?hidden=${!needsTime}>Milliseconds
        <input name="ms" type="number" min="1" max="99999" value="3000" ?disabled=${!needsTime}>
      </label>
      <label>Times
        <input name="times" type="number" min="1" max="1000" value="1" required>
      </label>
      <p class="hint">${faultLabels.get(this.fault)}</p>
      <button class="primary">Add rule</button>
    </form>`
  }

  #rules(rules: readonly StoredFaultRule[]): TemplateResult {
    return html`<ul class="stack">${rules.map(
      (
        rule,
      ) => html`<li class="row between"><span><code>${text(rule.do, 40)}</code> <span class="hint">on</span> <code>${text(rule.on, 40)}</code>
        <span class="hint">next ${rule.times} ${rule.times === 1 ? 'request' : 'requests'}</span></span>
        <button type="button" aria-label=${`Remove ${rule.do} on ${rule.on}`}
          @click=${() => void this.sandbox.change('DELETE', `faults/${rule.id}`)}>Remove</button></li>`,
    )}</ul>
    <p><button type="button" @click=${() => void this.sandbox.change('DELETE', 'faults')}>Clear all rules</button></p>`
  }

  readonly #add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.target instanceof HTMLFormElement)) return
    const form = new FormData(event.target)
    const time = form.get('ms')
    await this.sandbox.change('POST', 'faults', {
      on: form.get('on'),
      do: time === null ? this.fault : `${this.fault}=${String(time)}`,
      times: Number(form.get('times')),
    })
  }
}
