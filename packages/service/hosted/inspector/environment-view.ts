/** The environment: its clock, API keys, origins, and data. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { state } from 'lit/decorators.js'
import type { SandboxEnvironment } from '../../shared/sandbox-api.ts'
import { codeBlock } from './code-block.ts'
import { InspectorView } from './inspector-view.ts'
import { spanText, timeText } from './labels.ts'

const minute = 60_000
const hour = 60 * minute

/** Steps that pass the service's deadlines. */
const steps = [
  [10 * minute, '+10 min', 'Challenges expire'],
  [hour, '+1 h', ''],
  [24 * hour, '+24 h', 'Open intents expire'],
  [48 * hour, '+48 h', 'Idempotency keys can be used again'],
  [-hour, '−1 h', 'No transition is undone'],
] as const

/** Asks before an action that cannot be undone. */
interface Question {
  readonly title: string
  readonly text: string
  /** Label of the button that runs it. */
  readonly action: string
  readonly run: () => unknown
}

export class EnvironmentView extends InspectorView {
  @state() private message = ''
  /** The key that was created here. It is shown until it is revoked or this section is left. */
  @state() private created: { readonly id: string; readonly apiKey: string } | undefined
  @state() private question: Question | undefined

  protected override render(): unknown {
    const { environment } = this.state
    if (!environment) return nothing
    return html`<div class="cards columns">
      ${this.#clock(environment)} ${this.#keys(environment)} ${this.#origins(environment)} ${this.#data(environment)}
    </div>${this.#dialog()}`
  }

  #clock({ clock: { offset } }: SandboxEnvironment): TemplateResult {
    const now = new Date(Date.now() + offset).toISOString()
    return html`<section class="box stack">
      <h2>Clock</h2>
      <p class="clock"><time datetime=${now}>${timeText(now)}</time>
        <span class="badge" data-tone=${offset === 0 ? 'quiet' : 'waiting'}>${offset === 0 ? 'real time' : spanText(offset)}</span></p>
      <div class="row">${steps.map(
        ([advance, text, hint]) => html`<button type="button" title=${hint}
          @click=${() => this.state.change('PUT', 'clock', { advance })}>${text}</button>`,
      )}
      <button type="button" ?disabled=${offset === 0}
        @click=${() => this.state.change('PUT', 'clock', { offset: 0 })}>Real time</button></div>
      <p class="hint">Changes the time of this environment only. Challenges expire after 10 minutes, intents
        after 24 hours, and idempotency keys after 48 hours.</p>
    </section>`
  }

  #keys({ id, keys }: SandboxEnvironment): TemplateResult {
    const { created, state } = this
    const isValid = keys.some((key) => key.id === created?.id && !key.revokedAt)
    const revoke = (key: string, display: string): void =>
      this.#ask({
        title: `Revoke ${display}?`,
        text: 'Requests with this key are rejected immediately. This cannot be undone.',
        action: 'Revoke',
        run: () => state.change('DELETE', `keys/${key}`),
      })
    return html`<section class="box stack">
      <h2>API keys</h2>
      <ul class="stack">${keys.map((key) => {
        const since = `since ${timeText(key.createdAt)}`
        const validity = key.expiresAt ? `until ${timeText(key.expiresAt)}` : since
        return html`<li class="row">
          ${key.revokedAt ? html`<s class="hint"><code>${key.display}</code></s>` : html`<code>${key.display}</code>`}
          <span class="hint">${key.revokedAt ? `revoked ${timeText(key.revokedAt)}` : validity}</span>
          <code class="hint">${key.id}</code>
          ${
            key.revokedAt
              ? nothing
              : html`<button type="button" class="small" aria-label=${`Revoke ${key.display}`}
                  @click=${() => revoke(key.id, key.display)}>Revoke…</button>`
          }</li>`
      })}</ul>
      ${
        created && isValid
          ? html`${codeBlock(created.apiKey)}<p class="hint" role="status">Copy this key now: it is shown once. Your server reads it from
              <code>PI_API_KEY</code>.</p>`
          : nothing
      }
      <div class="row"><button type="button" @click=${() => this.#createKey(id)}>Create a key</button></div>
      ${
        state.commandOptions === null
          ? nothing
          : html`<p class="hint">In a terminal: <code>npx pi-service keys revoke ID${state.commandOptions}</code></p>`
      }
    </section>`
  }

  async #createKey(environment: string): Promise<void> {
    const path = `/environments/${environment}/keys`
    this.created = await this.state.send('POST', path)
  }

  #origins({ origins }: SandboxEnvironment): TemplateResult {
    const register = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault()
      if (!(event.target instanceof HTMLFormElement)) return
      const form = event.target
      const origin = String(new FormData(form).get('origin'))
      if (await this.state.change('POST', 'origins', { origin })) form.reset()
    }
    const remove = async (origin: string): Promise<boolean> =>
      await this.state.change('DELETE', `origins?origin=${encodeURIComponent(origin)}`)
    return html`<section class="box stack">
      <h2>Origins</h2>
      <p class="hint">Only pages of these origins can show the checkout.</p>
      <ul>${origins.map(
        (origin) => html`<li class="row"><code>${origin}</code>
          <button type="button" class="small" aria-label=${`Remove ${origin}`}
            @click=${() => remove(origin)}>Remove</button></li>`,
      )}</ul>
      <form class="stack" @submit=${register}>
        <label>Another origin<input name="origin" type="url" placeholder="https://shop.example.com" required></label>
        <div class="row"><button>Register</button></div>
      </form>
    </section>`
  }

  #data({ id, merchant }: SandboxEnvironment): TemplateResult {
    const ask = (): void =>
      this.#ask({
        title: `Reset ${merchant}?`,
        text: 'All test intents and requests of this environment are deleted. This cannot be undone.',
        action: 'Reset',
        run: () => this.#reset(id),
      })
    return html`<section class="box stack">
      <h2>Data</h2>
      <p class="hint">A reset deletes all test intents, logged requests, issues, and fault rules, and returns the clock
        to real time. API keys and origins are kept.</p>
      <div class="row">
        <button type="button" class="danger" @click=${ask}>Reset…</button>
      </div>
      <p role="status">${this.message}</p>
      ${
        this.state.commandOptions === null
          ? html`<p class="hint">This service keeps its data in memory only. A stop deletes it.</p>`
          : nothing
      }
    </section>`
  }

  #ask(question: Question): void {
    this.question = question
    void this.updateComplete.then(() => this.querySelector('dialog')?.showModal())
  }

  #dialog(): TemplateResult {
    const { title, text, action, run } = this.question ?? {}
    return html`<dialog class="apart stack" aria-labelledby="question">
      <h2 id="question">${title}</h2>
      <p class="hint">${text}</p>
      <form method="dialog" class="row">
        <button type="submit" autofocus>Cancel</button>
        <button type="submit" class="danger" @click=${run}>${action}</button>
      </form>
    </dialog>`
  }

  async #reset(environment: string): Promise<void> {
    const done = await this.state.send<{ deleted: number }>('POST', '/reset', { environment })
    const intents = done?.deleted === 1 ? 'intent' : 'intents'
    this.message = done ? `Reset: ${done.deleted} ${intents} deleted.` : ''
  }
}
