/** The inspector: a live view of the sandbox, with keyboard shortcuts. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { LightElement } from '../light-element.ts'
import { faultsSection } from './faults-section.ts'
import { intentsSection } from './intents-section.ts'
import { empty } from './markup.ts'
import { requestsSection } from './requests-section.ts'
import { type Section, sections, writeRoute } from './route.ts'
import { type Reading, Sandbox } from './sandbox.ts'
import { settingsSection } from './settings-section.ts'
import { text } from './show.ts'

export class Inspector extends LightElement {
  readonly #sandbox = new Sandbox(this, {
    intents: intentsSection,
    requests: requestsSection,
    faults: faultsSection,
    settings: settingsSection,
  })
  #hadFocus = false
  /** Id of the intent or request that is shown. */
  #openId: string | undefined

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('hashchange', () => this.#sandbox.follow())
    addEventListener('keydown', this.#onKeyDown)
    this.#sandbox.follow()
  }

  protected override willUpdate(): void {
    this.#hadFocus = this.matches(':focus-within')
  }

  /** An element that leaves gives its focus to the line of the item that was open, or to the section. */
  protected override updated(): void {
    const openId = this.#sandbox.reading?.route.id
    if (openId !== this.#openId) {
      scrollTo(0, 0)
      this.querySelector<HTMLElement>(`.list [href*="/${this.#openId}"]`)?.focus()
      this.#openId = openId
    }
    if (this.#hadFocus && !this.matches(':focus-within')) this.querySelector('main')?.focus()
  }

  protected override render(): unknown {
    const { isLocked, reading, failure, error, route } = this.#sandbox
    if (isLocked) return this.#gate()
    if (!reading) return html`<main class="apart">${waiting(failure)}</main>`
    const title = titles[route.section]
    return html`
      <section class="bar row" aria-label="Environment">
        <nav class="row" aria-label="Sections">${sections.map((section) => this.#tab(section))}</nav>
        <span class="row end">${this.#merchant(reading)}
          <span class="hint" role="status">${failure ? 'Reconnecting…' : 'Connected'}</span></span>
      </section>
      ${error ? html`<p class="notice" role="alert">${text(error, 500)}</p>` : nothing}
      <main class="stack" tabindex="-1" data-section=${route.section}>
        ${
          route.id
            ? html`<p><a href=${this.#sandbox.link(route.section)}>← ${title}</a></p>`
            : html`<h1>${title}</h1>`
        }
        ${reading.route.section === route.section ? this.#section(reading) : waiting(failure)}
      </main>
    `
  }

  /** A section that fails shows its error and a way on, and tries again with the next read. */
  #section(reading: Reading): unknown {
    try {
      return reading.show()
    } catch (error) {
      return empty(
        'This section cannot be shown',
        html`The service sent data that the inspector does not understand: <code>${text(Object(error).message)}</code>`,
        html`<a href=${this.#sandbox.link('settings')}>Settings</a> can reset the data.`,
      )
    }
  }

  #gate(): TemplateResult {
    const { error } = this.#sandbox
    return html`<main class="apart stack" tabindex="-1">
      <h1>Open the inspector by its link</h1>
      ${error ? html`<p class="error" role="alert">${error}</p>` : nothing}
      <p>Open the link that the service printed when it started. Other tabs of this browser then work, too.</p>
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
    return html`<select aria-label="Merchant" @change=${choose}>${options}</select>`
  }

  #tab(section: Section): TemplateResult {
    const isOpen = section === this.#sandbox.route.section
    return html`<a href=${this.#sandbox.link(section)} aria-current=${isOpen ? 'page' : 'false'}>${titles[section]}</a>`
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    const { target, key } = event
    if (event.ctrlKey || event.metaKey || event.altKey || !(target instanceof Element)) return
    const { section, id } = this.#sandbox.route
    const search = this.querySelector<HTMLElement>('[type=search]')
    if (target !== search && target.matches('input, select')) return
    if (key === 'Escape' && id) location.hash = this.#sandbox.link(section)
    else if (key === 'ArrowDown') this.#step(1, event)
    else if (key === 'ArrowUp') this.#step(-1, event)
    else if (key === '/' && search && target !== search) {
      event.preventDefault()
      search.focus()
    }
  }

  /** Moves the focus to the line before or after. */
  #step(by: number, event: Event): void {
    const lines = [...this.querySelectorAll<HTMLElement>('.list .line')]
    const next = lines[lines.findIndex((line) => line.matches(':focus')) + by]
    if (!next) return
    event.preventDefault()
    next.focus()
  }
}

const titles: Readonly<Record<Section, string>> = {
  intents: 'Intents',
  requests: 'Requests',
  faults: 'Faults',
  settings: 'Settings',
}

/** What is shown before the first read: also while the service is down. */
function waiting(failure: string | undefined): TemplateResult {
  return html`<p class="empty" role="status">${failure ?? 'Loading…'}</p>`
}
