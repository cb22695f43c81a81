/** The environment: its clock, API keys, origins, and data. @module */
import { html, nothing, type TemplateResult } from 'lit'
import type { SandboxEnvironment } from '../../shared/sandbox-api.ts'
import { copyable, name } from './markup.ts'
import type { Sandbox, Source } from './sandbox.ts'
import { text, time } from './show.ts'

const minute = 60_000

export async function settingsSection({ sandbox, environment }: Source): Promise<() => unknown> {
  const part = (show: typeof keys) =>
    html`<section class="box stack">${show(sandbox, environment)}</section>`
  return () => html`<div class="columns">${[keys, origins, clock, data].map(part)}</div>`
}

function clock(sandbox: Sandbox, { clock: { offset } }: SandboxEnvironment): TemplateResult {
  const real = Date.now()
  const now = new Date(real + offset).toISOString()
  const move = (change: object) => () => sandbox.act('PUT', 'clock', change)
  return html`<h2>Clock</h2>
    <p class="row clock"><time datetime=${now}>${time(now)}</time>
      <span class="hint">${offset === 0 ? 'real time' : `real time: ${time(new Date(real).toISOString())}`}</span></p>
    <div class="row">
      <button type="button" @click=${move({ advance: 10 * minute })}>+10 min</button>
      <button type="button" @click=${move({ advance: 24 * 60 * minute })}>+24 h</button>
      <button type="button" ?disabled=${offset === 0} @click=${move({ offset: 0 })}>Real time</button>
    </div>
    <p class="hint">Challenges expire after 10 minutes, and intents after 24 hours. Returning to real time doesn't reopen
      what has expired.</p>`
}

function keys(sandbox: Sandbox, environment: SandboxEnvironment): TemplateResult {
  return html`<h2>API keys</h2>
    <p class="hint">Your server sends one with each request, from <code>PI_API_KEY</code>. A
      service with a database can revoke one: <code>pi-service keys revoke</code>.</p>
    <ul>${environment.keys.map(
      ({ display, createdAt }) => html`<li class="row item"><code>${text(display)}</code>
        <span class="hint">created ${time(createdAt)}</span></li>`,
    )}</ul>
    ${
      sandbox.apiKey
        ? html`${copyable(sandbox.apiKey)}
            <p class="hint" role="status">Copy this key now: it is shown once.</p>`
        : nothing
    }
    <p><button type="button" @click=${() => sandbox.createKey()}>Create a key</button></p>`
}

function origins(sandbox: Sandbox, environment: SandboxEnvironment): TemplateResult {
  const register = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    const form = event.target as HTMLFormElement
    const origin = new FormData(form).get('origin')
    if (await sandbox.act('POST', 'origins', { origin })) form.reset()
  }
  const remove = (origin: string) =>
    sandbox.act('DELETE', `origins?origin=${encodeURIComponent(origin)}`)
  return html`<h2>Origins</h2>
    <p class="hint">Only pages of registered origins can show the checkout. Register the origin of your shop.</p>
    <ul>${environment.origins.map(
      (origin) => html`<li class="row item"><code>${text(origin)}</code>
        <button type="button" class="small" aria-label=${`Remove ${origin}`}
          @click=${() => remove(origin)}>Remove</button></li>`,
    )}</ul>
    <form class="row item" @submit=${register}>
      <input name="origin" type="url" aria-label="Origin" placeholder="https://shop.example" required>
      <button>Register</button>
    </form>`
}

function data(sandbox: Sandbox, { id, merchant }: SandboxEnvironment): TemplateResult {
  const reset = async (): Promise<void> => {
    const question = `Reset ${text(merchant)}? All its test intents and requests are deleted.`
    if (!confirm(question)) return
    if (await sandbox.act('POST', 'reset')) location.hash = sandbox.link('intents')
  }
  return html`<h2>Data</h2>
    <p><b>${name(merchant)}</b> <code>${text(id)}</code></p>
    <p class="hint">A reset deletes all test intents, requests, and fault rules, and returns the clock to real
      time. API keys and origins are kept.</p>
    <p><button type="button" class="danger" @click=${reset}>Reset…</button></p>`
}
