/** Fault rules: what breaks, and how often. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { FaultOperation, StoredFaultRule } from '../../shared/sandbox-api.ts'
import { name } from './markup.ts'
import type { Sandbox, Source } from './sandbox.ts'
import { text } from './show.ts'

export async function faultsSection({ sandbox, environment, get }: Source): Promise<() => unknown> {
  const found = await get<{ readonly rules: readonly StoredFaultRule[] }>('faults')
  const rules = found?.rules ?? []
  return () => html`
    <section class="box stack">
      <h2>Break the next request</h2>
      <p class="hint">Test how the server of <b>${name(environment.merchant)}</b> handles a lost, late, or wrong response.
        Each press breaks one more request. To break one specific request, send the header <code>Sandbox-Fault</code>.</p>
      ${faultList(sandbox)}
    </section>
    <section class="box stack">
      <h2>Fault rules</h2>
      ${rules.length > 0 ? ruleList(sandbox, rules) : html`<p class="hint">No fault rules: responses are not modified. Choose a fault, then let your server send a request.</p>`}
    </section>`
}

/** What each fault does. */
const faults: readonly (readonly [fault: string, does: string])[] = [
  ['drop-after-commit', 'Creates the intent, then drops the connection: a lost response.'],
  ['drop-before-commit', 'Drops the connection. Nothing is created.'],
  ['delay=3000', 'Sends the response late. A client that stops waiting does not know the result.'],
  ['409', 'Says that the first request with this key is still running. Nothing is created.'],
  ['500', 'Returns an internal error. Nothing is created.'],
  ['503', 'Says that the service’s database is unavailable, with Retry-After. Nothing is created.'],
  ['429', 'Says that there are too many requests, with Retry-After. Nothing is created.'],
  ['truncate-body', 'Cuts the response in half. A create is committed.'],
  ['stall-body', 'Sends half of the response, and nothing more. A create is committed.'],
  ['malformed-json', 'Returns a response that is not JSON. A create is committed.'],
]

/** A retrieve commits nothing, and has no key. */
const ofCreates: ReadonlySet<string> = new Set(['drop-after-commit', '409'])

/** The faults, each with a button for each operation. */
function faultList(sandbox: Sandbox): TemplateResult {
  const button = (on: FaultOperation, fault: string): TemplateResult =>
    html`<button class="small" aria-label=${`Add ${fault} on ${on}`}
      @click=${() => sandbox.act('POST', 'faults', { on, do: fault })}>On ${on}</button>`
  return html`<ul>${faults.map(
    ([fault, does]) => html`<li class="row item">
      <div><code>${fault}</code><p class="hint">${does}</p></div>
      <span class="row">${ofCreates.has(fault) ? nothing : button('retrieve', fault)}
        ${button('create', fault)}</span>
    </li>`,
  )}</ul>`
}

function ruleList(sandbox: Sandbox, rules: readonly StoredFaultRule[]): TemplateResult {
  return html`<ul>${rules.map(
    ({ id, do: fault, on, times }) => html`<li class="row item">
      <span><code>${text(fault, 40)}</code> <span class="hint">on</span> <code>${text(on, 40)}</code>
        <span class="hint">for the next ${times === 1 ? 'request' : `${times} requests`}</span></span>
      <button type="button" class="small" aria-label=${`Remove ${text(fault, 40)} on ${text(on, 40)}`}
        @click=${() => sandbox.act('DELETE', `faults/${id}`)}>Remove</button>
    </li>`,
  )}</ul>`
}
