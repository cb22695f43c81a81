/**
 * The environment itself: its clock, keys and origins, and all of its data at once.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { property, state } from 'lit/decorators.js'
import type { SandboxEnvironment } from '../../shared/sandbox-api.ts'
import type { ViewState } from './inspector.ts'
import { spanText, timeText } from './words.ts'

const minute = 60_000
const hour = 60 * minute

/** Steps to the service's own deadlines. */
const steps = [
  [10 * minute, '+10 min', 'The bank’s question runs out'],
  [hour, '+1 h', ''],
  [24 * hour, '+24 h', 'Open intents expire'],
  [48 * hour, '+48 h', 'Idempotency keys are free again'],
  [-hour, '−1 h', 'Nothing that has happened is undone'],
] as const

export class EnvironmentView extends LitElement {
  @property({ attribute: false }) state: ViewState | undefined
  @state() private told = ''
  #ticking: ReturnType<typeof setInterval> | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.#ticking = setInterval(() => this.requestUpdate(), 1000)
  }

  override disconnectedCallback(): void {
    clearInterval(this.#ticking)
    super.disconnectedCallback()
  }

  protected override render(): unknown {
    const { environment } = this.state?.live ?? {}
    if (!environment) return nothing
    return html`<div class="cards">
      ${this.#clock(environment)} ${this.#keys(environment)} ${this.#origins(environment)} ${this.#data(environment)}
    </div>`
  }

  #clock({ clock: { offset } }: SandboxEnvironment): TemplateResult {
    const { live } = this.state ?? {}
    const now = new Date(Date.now() + offset).toISOString()
    return html`<section class="card">
      <h2>Clock</h2>
      <p class="clock" data-shifted=${offset === 0 ? 'false' : 'true'}><time datetime=${now}>${timeText(now)}</time>
        <span>${offset === 0 ? 'real time' : spanText(offset)}</span></p>
      <div class="buttons">${steps.map(
        ([advance, text, hint]) => html`<button type="button" title=${hint}
          @click=${() => live?.act(async (api, id) => await api.setClock(id, { advance }))}>${text}</button>`,
      )}
      <button type="button" ?disabled=${offset === 0}
        @click=${() => live?.act(async (api, id) => await api.setClock(id, { offset: 0 }))}>Real time</button></div>
      <p class="hint">Moves this environment alone. Ten minutes end a bank’s question, 24 hours expire an
        intent, 48 hours free an idempotency key.</p>
    </section>`
  }

  #keys({ keys }: SandboxEnvironment): TemplateResult {
    return html`<section class="card">
      <h2>API keys</h2>
      <ul class="plain">${keys.map(
        ({
          id,
          display,
          createdAt,
          expiresAt,
          revokedAt,
        }) => html`<li data-revoked=${revokedAt ? 'true' : 'false'}>
          <code>${display}</code>
          <span class="hint">${
            revokedAt
              ? `revoked ${timeText(revokedAt)}`
              : expiresAt
                ? `until ${timeText(expiresAt)}`
                : `since ${timeText(createdAt)}`
          }</span>
          <span class="id"><code>${id}</code></span></li>`,
      )}</ul>
      <p class="hint">A key is shown once, when it is made: <code>pi-service keys create</code>.
        <code>pi-service keys revoke ID</code> ends one at once.</p>
    </section>`
  }

  #origins({ origins }: SandboxEnvironment): TemplateResult {
    const register = async (event: SubmitEvent): Promise<void> => {
      event.preventDefault()
      if (!(event.target instanceof HTMLFormElement)) return
      const form = event.target
      const origin = String(new FormData(form).get('origin'))
      const { live } = this.state ?? {}
      const done = await live?.act(async (api, id) => await api.registerOrigin(id, origin))
      if (done) form.reset()
    }
    const remove = (origin: string) => async (): Promise<void> => {
      await this.state?.live.act(async (api, id) => await api.removeOrigin(id, origin))
    }
    return html`<section class="card">
      <h2>Origins</h2>
      <p class="hint">Pages of these origins may show the checkout, and no others.</p>
      <ul class="plain">${origins.map(
        (origin) => html`<li><code>${origin}</code>
          <button type="button" class="small" aria-label=${`Remove ${origin}`}
            @click=${remove(origin)}>Remove</button></li>`,
      )}</ul>
      <form class="fields one" @submit=${register}>
        <label>Another origin<input name="origin" type="url" placeholder="https://shop.example.com" required></label>
        <button>Register</button>
      </form>
    </section>`
  }

  #data({ merchant }: SandboxEnvironment): TemplateResult {
    const dialog = (): HTMLDialogElement | null => this.querySelector('dialog')
    return html`<section class="card">
      <h2>Data</h2>
      <div class="buttons">
        <button type="button" @click=${this.#export}>Export…</button>
        <label class="button">Import…<input type="file" multiple accept="application/json,.json" @change=${this.#import}></label>
        <button type="button" class="danger" @click=${() => dialog()?.showModal()}>Reset…</button>
      </div>
      <p role="status">${this.told}</p>
      <p class="hint">The export holds the intents of all test environments with their timelines, and
        no key or secret; a large one comes as several files. Imported into this service again,
        everything holds as before.</p>
      ${
        this.state?.live.commandOptions === null
          ? html`<p class="hint">This service keeps everything in memory: a stop loses it.</p>`
          : nothing
      }
      <dialog aria-labelledby="reset-title">
        <h2 id="reset-title">Reset ${merchant}?</h2>
        <p>All of its test intents go, the clock returns to real time, all fault rules end. Keys and
          origins stay.</p>
        <form method="dialog" class="buttons">
          <button type="submit" autofocus>Keep everything</button>
          <button type="submit" class="danger" @click=${this.#reset}>Reset</button>
        </form>
      </dialog>
    </section>`
  }

  readonly #export = async (): Promise<void> => {
    const day = new Date().toISOString().slice(0, 10)
    let after = ''
    for (let part = 1; part === 1 || after; part++) {
      const done = await this.state?.live.act(async (api) => await api.export(after))
      if (!done) return
      save(done.file, `sandbox-${day}${part > 1 ? `-${part}` : ''}.json`)
      after = done.next
    }
  }

  readonly #import = async ({ target }: Event): Promise<void> => {
    if (!(target instanceof HTMLInputElement)) return
    const files = [...(target.files ?? [])]
    target.value = ''
    let [imported, skipped] = [0, 0]
    this.told = ''
    for (const file of files) {
      const text = await file.text()
      const done = await this.state?.live.act(async (api) => await api.import(text))
      if (!done) return
      imported += done.imported
      skipped += done.skipped
      this.told = `Imported ${imported}, skipped ${skipped} that were there.`
    }
  }

  readonly #reset = async (): Promise<void> => {
    const done = await this.state?.live.act(async (api, id) => await api.reset(id))
    this.told = done
      ? `Reset: ${done.deleted} ${done.deleted === 1 ? 'intent is' : 'intents are'} gone.`
      : ''
  }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}
