/** Fault rules: what breaks, and how often. @module */
import { html, type TemplateResult } from 'lit'
import type { StoredFaultRule } from '../../shared/sandbox-api.ts'
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
      <p class="hint">Tests how the server of <b>${name(environment?.merchant)}</b> handles a lost, late, or wrong
        response. For a single request, send the header <code>Sandbox-Fault</code>.</p>
      ${ruleForm(sandbox)}
    </section>
    <section class="box stack">
      <h2>Fault rules</h2>
      ${rules.length > 0 ? ruleList(sandbox, rules) : html`<p class="hint">No fault rules. Responses are not modified. Add a rule, then let your server send a request.</p>`}
    </section>
  </div>`
}

/** What each fault does. */
const faults: ReadonlyMap<string, string> = new Map([
  ['drop-after-commit', 'Creates the intent, then drops the connection: a lost response.'],
  ['drop-before-commit', 'Drops the connection without creating an intent.'],
  ['delay', 'Delays the response.'],
  ['409', 'Returns that the first request with this key is still running.'],
  ['500', 'Returns an internal error without creating an intent.'],
  ['503', 'Returns that the store is unavailable, with Retry-After.'],
  ['429', 'Returns that there are too many requests, with Retry-After.'],
  ['truncate-body', 'Creates the intent, then cuts the response in half.'],
  ['stall-body', 'Creates the intent, then sends half of the response and nothing more.'],
  ['malformed-json', 'Creates the intent, then returns a response that is not JSON.'],
])

/** Returns what a fault such as `delay=500` does. */
export function faultText(fault: string): string {
  const [name = ''] = text(fault).split('=')
  return faults.get(name) ?? ''
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
  const explain = ({ target }: Event): void => {
    if (!(target instanceof HTMLSelectElement)) return
    const output = target.form?.querySelector('output')
    if (output) output.value = faultText(target.value)
  }
  return html`<form class="fields columns" @submit=${add}>
    <label>Operation
      <select name="on"><option>create</option><option>retrieve</option></select>
    </label>
    <label>Fault
      <select name="do" aria-describedby="fault" @change=${explain}>${[...faults.keys()].map(
        (fault) => html`<option value=${fault}>${fault}</option>`,
      )}</select>
    </label>
    <output class="hint" id="fault" .value=${faultText('drop-after-commit')}></output>
    <label class="delay">Milliseconds
      <input name="ms" type="number" min="1" max="99999" value="3000" required>
    </label>
    <label>Number of requests
      <input name="times" type="number" min="1" max="1000" value="1" required>
    </label>
    <button class="primary">Add rule</button>
  </form>`
}

function ruleList(sandbox: Sandbox, rules: readonly StoredFaultRule[]): TemplateResult {
  const clear = () => sandbox.act('DELETE', 'faults')
  return html`<ul>${rules.map(
    ({ id, do: fault, on, times }) => html`<li class="item">
      <span><code>${text(fault, 40)}</code> <span class="hint">on</span> <code>${text(on, 40)}</code>
        <span class="hint">next ${times} ${times === 1 ? 'request' : 'requests'}</span></span>
      <button type="button" class="small" aria-label=${`Remove ${text(fault, 40)} on ${text(on, 40)}`}
        @click=${() => sandbox.act('DELETE', `faults/${id}`)}>Remove</button>
    </li>`,
  )}</ul>
  <p><button type="button" @click=${clear}>Clear all rules</button></p>`
}
