/** The inspector: a live view of the sandbox, with keyboard shortcuts. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { LightElement } from '../light-element.ts'
import { faultsSection } from './faults-section.ts'
import { intentsSection } from './intents-section.ts'
import { label, name } from './markup.ts'
import { requestsSection } from './requests-section.ts'
import { type Section, sections, writeRoute } from './route.ts'
import { type Reading, Sandbox } from './sandbox.ts'
import { settingsSection } from './settings-section.ts'
import { text } from './show.ts'

export class Inspector extends LightElement {
  readonly #sandbox = new Sandbox(this)
  #hadFocus = false

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('hashchange', this.#navigate)
    addEventListener('keydown', this.#onKeyDown)
    this.#navigate()
  }

  protected override willUpdate(): void {
    this.#hadFocus = this.matches(':focus-within')
  }

  protected override updated(): void {
    // An element that leaves gives its focus to the section.
    if (this.#hadFocus && !this.matches(':focus-within')) this.querySelector('main')?.focus()
  }

  protected override render(): unknown {
    const { isLocked, reading, failure, error, route } = this.#sandbox
    if (isLocked) return this.#gate()
    if (!reading) return html`<main class="apart">${waiting(failure)}</main>`
    return html`
      <section class="bar row" aria-label="Environment">
        ${this.#merchant(reading)}
        <nav class="row" aria-label="Sections">${sections.map((section) => this.#tab(section, reading))}</nav>
        <span class="dot hint end" data-tone=${failure ? 'waiting' : 'good'} role="status">${
          failure ? 'Reconnecting…' : 'Connected'
        }</span>
      </section>
      ${error ? html`<p class="notice" role="alert">${text(error, 500)}</p>` : nothing}
      <main tabindex="-1" data-section=${route.section}>${
        reading.section === route.section ? this.#section(reading) : waiting(failure)
      }</main>
    `
  }

  /** A section that fails shows its error and a way on, and tries again with the next read. */
  #section(reading: Reading): TemplateResult {
    try {
      const [, view] = views[reading.section]
      return view(this.#sandbox, reading)
    } catch (error) {
      return html`<div class="empty stack" role="alert">
        <h2>This section cannot be shown</h2>
        <p>The service sent data that the inspector does not understand: <code>${text(Object(error).message)}</code></p>
        <p><a href=${this.#sandbox.link('settings')}>Settings</a> can reset the data.</p>
      </div>`
    }
  }

  #gate(): TemplateResult {
    const { error } = this.#sandbox
    return html`<main class="apart stack" tabindex="-1">
      <h2 class="title">Open the inspector by its link</h2>
      ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}
      <p><code>npm start</code> and <code>pi-service start</code> print it. Other tabs of this browser then work, too.</p>
    </main>`
  }

  #merchant({ environments, environment }: Reading): TemplateResult {
    const choose = ({ target }: Event): void => {
      if (!(target instanceof HTMLSelectElement)) return
      const { section } = this.#sandbox.route
      location.hash = writeRoute({ environment: target.value, section })
    }
    const options = environments.map(
      (each) =>
        html`<option value=${each.id} .selected=${live(each.id === environment.id)}>${text(each.merchant, 64)}</option>`,
    )
    return environments.length < 2
      ? html`<b>${name(environment.merchant)}</b>`
      : html`<select aria-label="Merchant" @change=${choose}>${options}</select>`
  }

  #tab(section: Section, { environment: { counts } }: Reading): TemplateResult {
    const failures = section === 'requests' ? counts.failures : 0
    const isOpen = section === this.#sandbox.route.section
    return html`<a href=${this.#sandbox.link(section)} aria-current=${isOpen ? 'page' : 'false'}>${
      views[section][0]
    } ${failures > 0 ? label('bad', html`${failures}<span class="unit"> failed</span>`) : nothing}</a>`
  }

  readonly #navigate = (): void => {
    this.#sandbox.follow()
    scrollTo(0, 0)
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { target, key } = event
    const { section, id } = this.#sandbox.route
    const isTyping = target instanceof HTMLElement && target.matches('input, select, textarea')
    if (key === 'Escape') {
      if (isTyping) target.blur()
      else if (id) location.hash = this.#sandbox.link(section)
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const isSearch = target instanceof HTMLElement && target.matches('[type=search]')
      if (!isTyping || isSearch) this.#step(key === 'ArrowDown' ? 1 : -1, event)
    } else if (key === '/' && !isTyping) {
      event.preventDefault()
      this.querySelector<HTMLInputElement>('[type=search]')?.focus()
    }
  }

  /** Moves the focus to the row before or after the open one, and opens it. */
  #step(by: number, event: Event): void {
    const { section } = this.#sandbox.route
    const rows = [...this.querySelectorAll<HTMLElement>('.list [data-id]')]
    const at = rows.findIndex((row) => row.getAttribute('aria-current') === 'true')
    const next = rows[at === -1 ? 0 : at + by]
    if (!next) return
    event.preventDefault()
    next.focus()
    location.replace(this.#sandbox.link(section, next.dataset.id))
  }
}

type View = (sandbox: Sandbox, reading: Reading) => TemplateResult

const views: Readonly<Record<Section, readonly [title: string, view: View]>> = {
  intents: ['Intents', intentsSection],
  requests: ['Requests', requestsSection],
  faults: ['Faults', faultsSection],
  settings: ['Settings', settingsSection],
}

/** What is shown before the first read: also while the service is down. */
function waiting(failure: string | undefined): TemplateResult {
  return html`<p class="empty" role="status">${failure ?? 'Loading…'}</p>`
}
