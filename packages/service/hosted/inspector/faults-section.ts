/** Fault rules: what breaks, and how often. @module */
import { html, type TemplateResult } from 'lit'
import type { StoredFaultRule } from '../../shared/sandbox-api.ts'
import { faultLabels } from './labels.ts'
import { loading, name } from './markup.ts'
import type { Sandbox } from './sandbox.ts'
import { text } from './show.ts'

export function faultsSection(sandbox: Sandbox): TemplateResult {
  const { data, environment } = sandbox
  if (!data.faults) return loading(sandbox)
  const { rules } = data.faults
  return html`<div class="cards columns">
    <section class="box stack">
      <h2>Break the next requests</h2>
      <p class="hint">Tests how your server handles a lost, late, or wrong response of
        <b>${name(environment?.merchant)}</b>. For a single request, send the header <code>Sandbox-Fault</code>.</p>
      ${ruleForm(sandbox)}
    </section>
    <section class="box stack">
      <h2>Fault rules</h2>
      ${rules.length > 0 ? ruleList(sandbox, rules) : html`<p class="hint">No fault rules. Responses are not modified.</p>`}
    </section>
  </div>`
}

function ruleForm(sandbox: Sandbox): TemplateResult {
  const add = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = new FormData(event.target as HTMLFormElement)
    const [fault, ms] = [String(form.get('do')), String(form.get('ms'))]
    void sandbox.act('POST', 'faults', {
      on: form.get('on'),
      do: fault === 'delay' ? `delay=${ms}` : fault,
      times: Number(form.get('times')),
    })
  }
  return html`<form class="fields columns" @submit=${add}>
    <label>Operation
      <select name="on"><option>create</option><option>retrieve</option></select>
    </label>
    <label>Fault
      <select name="do">${[...faultLabels].map(
        ([fault, label]) => html`<option value=${fault}>${fault}: ${label}</option>`,
      )}</select>
    </label>
    <label class="delay">Milliseconds
      <input name="ms" type="number" min="1" max="99999" value="3000" required>
    </label>
    <label>Times
      <input name="times" type="number" min="1" max="1000" value="1" required>
    </label>
    <button class="primary">Add rule</button>
  </form>`
}

function ruleList(sandbox: Sandbox, rules: readonly StoredFaultRule[]): TemplateResult {
  const clear = () => sandbox.act('DELETE', 'faults')
  return html`<ul class="stack">${rules.map(
    ({ id, do: fault, on, times }) => html`<li class="row between">
      <span><code>${text(fault, 40)}</code> <span class="hint">on</span> <code>${text(on, 40)}</code>
        <span class="hint">next ${times} ${times === 1 ? 'request' : 'requests'}</span></span>
      <button type="button" aria-label=${`Remove ${text(fault, 40)} on ${text(on, 40)}`}
        @click=${() => sandbox.act('DELETE', `faults/${id}`)}>Remove</button>
    </li>`,
  )}</ul>
  <p><button type="button" @click=${clear}>Clear all rules</button></p>`
}
