/** The inspector: a live view of the sandbox, with keyboard shortcuts. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { LightElement } from '../light-element.ts'
import { faultsSection } from './faults-section.ts'
import { intentsSection } from './intents-section.ts'
import { badge, loading, name } from './markup.ts'
import { requestsSection } from './requests-section.ts'
import { hasItems, readRoute, type Section, sections, writeRoute } from './route.ts'
import { Sandbox } from './sandbox.ts'
import { settingsSection } from './settings-section.ts'
import { span, text } from './show.ts'

export class Inspector extends LightElement {
  readonly #sandbox = new Sandbox(this)
  /** The item whose row was brought into view. A new one is open before the list has it. */
  #shown: string | undefined
  /** The open item, or the one that was open before the list. */
  #last: string | undefined
  /** Whether the focus was in a section, and is not there anymore. */
  #lostFocus = false

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('hashchange', this.#navigate)
    addEventListener('keydown', this.#onKeyDown)
    this.#navigate()
  }

  protected override willUpdate(): void {
    this.#lostFocus ||= Boolean(document.activeElement?.closest('main'))
  }

  protected override updated(): void {
    const { environment, connection } = this.#sandbox
    const merchant =
      connection === 'locked' || !environment ? '' : `${text(environment.merchant)} · `
    document.title = `${merchant}Inspector · pi-checkout service`
    this.#keepInView()
  }

  protected override render(): unknown {
    const { connection, environment, error, route } = this.#sandbox
    if (connection === 'locked') return this.#gate()
    if (!environment) return html`<main class="apart">${loading(this.#sandbox)}</main>`
    const isLive = connection === 'connected'
    const { offset } = environment.clock
    return html`
      <section class="bar row between" aria-label="Environment">
        <nav class="row" aria-label="Sections">${sections.map((section) => this.#tab(section))}</nav>
        ${this.#merchant()}
        ${
          // Shown only if environment time is not real time.
          offset === 0
            ? nothing
            : html`<a class="badge" data-tone="waiting" href=${this.#sandbox.link('settings')}>Clock ${span(offset)}</a>`
        }
        <span class="dot hint" data-tone=${isLive ? 'good' : 'waiting'} role="status">${
          isLive ? 'Connected' : 'Reconnecting…'
        }</span>
      </section>
      ${
        error
          ? html`<div class="notice between" role="alert"><p>${text(error, 500)}</p>
              <button type="button" class="small" @click=${() => this.#sandbox.set({ error: undefined })}>Close</button></div>`
          : nothing
      }
      <main data-section=${route.section}>${this.#section()}</main>
      <footer class="row between hint">
        <span>Test mode: no real cards or payments.</span>
        ${hasItems(route.section) ? keys : nothing}
      </footer>
    `
  }

  /** A section that fails shows its error and a way on, and tries again with the next read. */
  #section(): TemplateResult {
    const { section } = this.#sandbox.route
    try {
      const [, view] = views[section]
      return view(this.#sandbox)
    } catch (error) {
      const clear = () => this.#sandbox.act('DELETE', 'requests')
      return html`<div class="box stack welcome" role="alert">
        <h2>This section cannot be shown</h2>
        <p>The service sent data that the inspector does not understand: <code>${text(Object(error).message)}</code></p>
        <p class="row"><a href=${this.#sandbox.link(section)}>Show the list only</a>
          ${section === 'requests' ? html`<button type="button" @click=${clear}>Clear the log</button>` : nothing}</p>
      </div>`
    }
  }

  /** Brings the open row and item into view. A focus whose element has gone moves to the item, its row, or the tab. */
  #keepInView(): void {
    const { id } = this.#sandbox.route
    this.#last = id ?? this.#last
    const row = this.querySelector<HTMLElement>(`[data-id="${this.#last}"]`)
    const item = this.querySelector<HTMLElement>('.detail h2')
    if (id !== this.#shown && (!id || (row && item))) {
      this.#shown = id
      row?.scrollIntoView({ block: 'nearest' })
      if (id) item?.scrollIntoView({ block: 'nearest' })
    }
    const tab = id ? null : this.querySelector<HTMLElement>('nav [aria-current="page"]')
    // On a phone, only the item or its row is shown.
    const place = [item, row, tab].find((each) => each?.checkVisibility())
    const { activeElement: focused } = document
    const isLost = focused === document.body || !focused?.checkVisibility()
    if (this.#lostFocus && isLost) place?.focus()
    this.#lostFocus &&= isLost && !place
  }

  #gate(): TemplateResult {
    // Into the address, which a link opens too: without it, the token alone.
    const open = (event: SubmitEvent): void => {
      event.preventDefault()
      const link = new FormData(event.target as HTMLFormElement).get('link')
      location.hash = String(link).split('#').at(-1) ?? ''
    }
    return html`<main class="apart stack">
      <h2 class="title">Inspector</h2>
      <p>The terminal of <code>npm start</code> or <code>pi-service start</code> prints the link of the inspector. Open it in
        this browser, or paste it here.</p>
      <form class="stack" @submit=${open}>
        <label>Link or admin token
          <input name="link" type="password" autocomplete="off" pattern="(.*#)?[\\w\\-]{43}(/.*)?" required
            title="The link ends with #, and 43 characters after it.">
        </label>
        <button class="primary">Open the inspector</button>
      </form>
      <p class="error" role="alert">${this.#sandbox.error}</p>
      <p class="hint">Tabs of this browser share the token until the last one is closed.</p>
    </main>`
  }

  #merchant(): TemplateResult {
    const { environments, environment, route } = this.#sandbox
    const merchant = text(environment?.merchant, 64)
    const choose = ({ target }: Event): void => {
      if (!(target instanceof HTMLSelectElement)) return
      location.hash = writeRoute({ environment: target.value, section: route.section })
    }
    const options = environments.map(
      (each) =>
        html`<option value=${each.id} .selected=${live(each.id === environment?.id)}>${text(each.merchant, 64)}</option>`,
    )
    return environments.length < 2
      ? html`<b>${name(merchant)}</b>`
      : html`<select aria-label="Merchant" @change=${choose}>${options}</select>`
  }

  #tab(section: Section): TemplateResult {
    const { environment, route } = this.#sandbox
    const { failures = 0, rules = 0 } = environment?.counts ?? {}
    const badges: Partial<Record<Section, unknown>> = {
      requests: failures > 0 && badge('bad', html`${failures}<span class="unit"> failed</span>`),
      faults: rules > 0 && badge('waiting', rules),
    }
    const isCurrent = section === route.section
    return html`<a href=${this.#sandbox.link(section)} aria-current=${isCurrent ? 'page' : 'false'}>${views[section][0]} ${
      badges[section] || nothing
    }</a>`
  }

  readonly #navigate = (): void => {
    // A new link can be opened in the same tab.
    const token = takeToken()
    this.#sandbox.open(readRoute(location.hash))
    if (token) this.#sandbox.unlock(token)
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
    const { section, id: openId } = this.#sandbox.route
    const rows = [...this.querySelectorAll<HTMLElement>('.list [data-id]')]
    const at = rows.findIndex((row) => row.getAttribute('aria-current') === 'true')
    const next = rows[at === -1 ? 0 : at + by]
    if (!next) return
    event.preventDefault()
    next.focus()
    // Moving through the list adds one entry to the history.
    const address = this.#sandbox.link(section, next.dataset.id)
    if (openId) location.replace(address)
    else location.hash = address
  }
}

const views: Readonly<Record<Section, readonly [string, (sandbox: Sandbox) => TemplateResult]>> = {
  intents: ['Intents', intentsSection],
  requests: ['Requests', requestsSection],
  faults: ['Faults', faultsSection],
  settings: ['Settings', settingsSection],
}

const keys = html`<span class="keys"><kbd>/</kbd> search <kbd>↑</kbd><kbd>↓</kbd> move <kbd>Esc</kbd> close</span>`

/** Removes the admin token from the address and returns it; `undefined` if there is none. */
function takeToken(): string | undefined {
  const [, token, route] = /^#([\w-]{43})(\/.*)?$/.exec(location.hash) ?? []
  if (token) history.replaceState(null, '', route ? `#${route}` : location.pathname)
  return token
}
