/** Fault rules: what breaks, and how often. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import type { Fault, FaultRule, StoredFaultRule } from '../../shared/sandbox-api.ts'
import { InspectorView } from './inspector-view.ts'
import { faultLabels } from './labels.ts'
import { selectField } from './markup.ts'
import { requestLog } from './request-line.ts'

export class FaultsView extends InspectorView {
  @state() private fault: Fault['type'] = 'drop-after-commit'

  protected override render(): unknown {
    const { environment, lists } = this.state
    const { rules = [], requests = [] } = lists.faults ?? {}
    return html`<div class="cards columns">
      <section class="box stack">
        <h2>Break the next requests</h2>
        <p class="hint">Test how your server handles a lost, late, or wrong response. A rule applies to
          the test environment of <b><bdi>${environment?.merchant}</bdi></b> only. To break a single request, send
          the header <code>Sandbox-Fault</code> instead.</p>
        ${this.#form()}
      </section>
      <section class="box stack">
        <h2>Fault rules</h2>
        ${rules.length > 0 ? this.#rules(rules) : html`<p class="hint">No fault rules. Responses are not modified.</p>`}
        ${
          requests.length > 0
            ? html`<h3>Requests with a fault</h3>${requestLog(requests)}`
            : nothing
        }
      </section>
    </div>`
  }

  #form(): TemplateResult {
    const needsTime = this.fault === 'delay'
    // Object.keys loses the names of the record's type.
    const faults = Object.keys(faultLabels) as Fault['type'][]
    return html`<form class="fields columns" @submit=${this.#add}>
      <label>Operation
        <select name="on"><option value="create">create</option><option value="retrieve">retrieve</option></select>
      </label>
      <label>Fault
        ${selectField('Fault', {
          options: faults.map((name) => [name, name]),
          value: this.fault,
          onChange: (chosen) => {
            this.fault = faults.find((name) => name === chosen) ?? this.fault
          },
        })}
      </label>
      <label ?hidden=${!needsTime}>Milliseconds
        <input name="ms" type="number" min="1" max="99999" value="3000" ?disabled=${!needsTime}>
      </label>
      <label>Times
        <input name="times" type="number" min="1" max="1000" value="1" required>
      </label>
      <p class="hint">${faultLabels[this.fault]}</p>
      <button class="primary">Add rule</button>
    </form>`
  }

  #rules(rules: readonly StoredFaultRule[]): TemplateResult {
    return html`<ul>${rules.map(
      (rule) => html`<li class="row"><code>${rule.on}</code> <code>${rule.do}</code>
        <span class="hint">next ${rule.times} ${rule.times === 1 ? 'request' : 'requests'}</span>
        <button type="button" class="small" aria-label=${`Remove ${rule.do} on ${rule.on}`}
          @click=${() => void this.state.change('DELETE', `faults/${rule.id}`)}>Remove</button></li>`,
    )}</ul>
    <p><button type="button" @click=${() => void this.state.change('DELETE', 'faults')}>Clear all rules</button></p>`
  }

  readonly #add = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.target instanceof HTMLFormElement)) return
    const form = new FormData(event.target)
    const time = form.get('ms')
    const rule: FaultRule = {
      on: form.get('on') === 'retrieve' ? 'retrieve' : 'create',
      do: time === null ? this.fault : `${this.fault}=${String(time)}`,
      times: Number(form.get('times')),
    }
    await this.state.change('POST', 'faults', rule)
  }
}
