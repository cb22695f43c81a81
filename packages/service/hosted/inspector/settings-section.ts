/** The environment: its clock, API keys, origins, and data. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import type { SandboxEnvironment } from '../../shared/sandbox-api.ts'
import { badge, codeBlock, facts, loading, name } from './markup.ts'
import { Section } from './section.ts'
import { span, text, time } from './show.ts'

const minute = 60_000

export class SettingsSection extends Section {
  @state() private message = ''
  /** The key that was created here. It is shown until it is revoked or this section is left. */
  @state() private created: { readonly id: string; readonly apiKey: string } | undefined

  protected override view(): unknown {
    const { environment } = this.sandbox
    if (!environment) return loading(this.sandbox)
    return html`<div class="cards columns">
      ${this.#clock(environment)} ${this.#keys(environment)} ${this.#origins(environment)} ${this.#data(environment)}
    </div>`
  }

  #clock({ clock: { offset } }: SandboxEnvironment): TemplateResult {
    const now = new Date(Date.now() + offset).toISOString()
    const move = (change: object) => () => this.sandbox.change('PUT', 'clock', change)
    return html`<section class="box stack">
      <h2>Clock</h2>
      <p class="row clock"><time datetime=${now}>${time(now)}</time>
        ${offset === 0 ? badge('quiet', 'real time') : badge('waiting', span(offset))}</p>
      <div class="row">
        <button type="button" @click=${move({ advance: 10 * minute })}>+10 min</button>
        <button type="button" @click=${move({ advance: 24 * 60 * minute })}>+24 h</button>
        <button type="button" @click=${move({ offset: 0 })}>Real time</button>
      </div>
      <p class="hint">Challenges expire after 10 minutes, intents after 24 hours, and idempotency keys after 48 hours.
        Returning to real time doesn't reopen what has expired.</p>
    </section>`
  }

  #keys({ keys }: SandboxEnvironment): TemplateResult {
    const valid = keys.filter(({ revokedAt }) => !revokedAt)
    const create = async (): Promise<void> => {
      this.created = await this.sandbox.change('POST', 'keys')
    }
    const revoke = (id: string, display: string): void => {
      const question = `Revoke ${display}? Requests with this key are rejected immediately.`
      if (confirm(question)) void this.sandbox.change('DELETE', `keys/${id}`)
    }
    return html`<section class="box stack">
      <h2>API keys</h2>
      <ul class="stack">${valid.map(
        ({ id, display, createdAt, expiresAt }) => html`<li class="row between">
          <span><code>${text(display)}</code>
            <span class="hint">${expiresAt ? `until ${time(expiresAt)}` : `since ${time(createdAt)}`}</span></span>
          <button type="button" aria-label=${`Revoke ${display}`}
            @click=${() => revoke(id, display)}>Revoke…</button></li>`,
      )}</ul>
      ${
        valid.some(({ id }) => id === this.created?.id)
          ? html`${codeBlock(this.created?.apiKey ?? '')}<p class="hint" role="status">Copy this key now: it is shown once. Your
              server reads it from <code>PI_API_KEY</code>.</p>`
          : nothing
      }
      <p><button type="button" @click=${create}>Create a key</button></p>
    </section>`
  }

  #origins({ origins }: SandboxEnvironment): TemplateResult {
    const register = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault()
      if (!(event.target instanceof HTMLFormElement)) return
      const form = event.target
      const origin = String(new FormData(form).get('origin'))
      if (await this.sandbox.change('POST', 'origins', { origin })) form.reset()
    }
    const remove = (origin: string) =>
      this.sandbox.change('DELETE', `origins?origin=${encodeURIComponent(origin)}`)
    return html`<section class="box stack">
      <h2>Origins</h2>
      <p class="hint">Only pages of these origins can show the checkout.</p>
      <ul class="stack">${origins.map(
        (origin) => html`<li class="row between"><code>${text(origin)}</code>
          <button type="button" aria-label=${`Remove ${origin}`}
            @click=${() => remove(origin)}>Remove</button></li>`,
      )}</ul>
      <form class="row end" @submit=${register}>
        <label>Another origin<input name="origin" type="url" placeholder="https://shop.example.com" required></label>
        <button>Register</button>
      </form>
    </section>`
  }

  #data({ id, merchant }: SandboxEnvironment): TemplateResult {
    const reset = async (): Promise<void> => {
      const question = `Reset ${text(merchant)}? All its test intents and requests are deleted.`
      if (!confirm(question)) return
      const done = await this.sandbox.change<{ deleted: number }>('POST', 'reset')
      this.message = done ? `Deleted intents: ${done.deleted}.` : ''
    }
    return html`<section class="box stack">
      <h2>Data</h2>
      ${facts([
        ['Merchant', name(merchant)],
        ['Environment', html`<code>${text(id)}</code>`],
      ])}
      <p class="hint">A reset deletes all test intents, requests, issues, and fault rules, and returns the clock to real
        time. API keys and origins are kept.</p>
      <p class="row"><button type="button" class="danger" @click=${reset}>Reset…</button>
        <span role="status">${this.message}</span></p>
    </section>`
  }
}
