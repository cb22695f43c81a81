/**
 * The inspector: a window on the sandbox of this service, live, with the keys of a keyboard.
 *
 * It renders into its own light DOM: one stylesheet, and the page's own search finds everything.
 *
 * @module
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { everyRequest, isOpen } from './filters.ts'
import { Live } from './live.ts'
import { type Route, readRoute, type Section, sections, writeRoute } from './route.ts'
import { readToken, takeToken } from './token.ts'
import { spanText, timeText } from './words.ts'

export class Inspector extends LitElement {
  readonly #live = new Live(this)
  #route: Route = readRoute(location.hash)
  #shortcuts = localStorage.getItem(shortcutsName) !== 'off'
  /** The intent that was the newest when somebody looked last. */
  #seen: string | undefined
  /** The section whose tab was brought into sight. */
  #reached: Section | undefined

  protected override createRenderRoot(): HTMLElement {
    return this
  }

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('hashchange', this.#follow)
    addEventListener('keydown', this.#press)
    document.addEventListener('visibilitychange', this.#look)
    this.#follow()
  }

  override disconnectedCallback(): void {
    removeEventListener('hashchange', this.#follow)
    removeEventListener('keydown', this.#press)
    document.removeEventListener('visibilitychange', this.#look)
    super.disconnectedCallback()
  }

  protected override render(): unknown {
    const { connection, environment, trouble, outage } = this.#live
    if (connection === 'locked') return this.#gate()
    if (!environment) {
      return html`<main class="gate"><p class="hint">${
        connection === 'lost' ? 'The service does not answer. Is it running?' : 'Connecting…'
      }</p></main>`
    }
    return html`
      <header class="top">
        <h1><img src=${iconUrl} alt="" width="24" height="24">Inspector</h1>
        ${this.#environmentChoice()}
        ${this.#clock()}
        <span class="live" data-connection=${connection} role="status">${
          connection === 'live' ? 'Live' : 'Reconnecting…'
        }</span>
      </header>
      <nav aria-label="Sections">
        ${sections.map((section, at) => this.#tab(section, at))}
      </nav>
      ${this.#trouble(trouble ?? outage)}
      <main data-section=${this.#route.section}>${this.#section()}</main>
      <footer>
        <span>Sandbox: no real card, no real money. Not a PCI-compliant processor.</span>
        <span class="keys">${
          this.#shortcuts ? html`<kbd>1</kbd>–<kbd>6</kbd> sections <kbd>/</kbd> search` : nothing
        } <kbd>↑</kbd><kbd>↓</kbd> move <kbd>Esc</kbd> back
          <button type="button" class="small" aria-pressed=${this.#shortcuts ? 'true' : 'false'}
            @click=${this.#switchShortcuts}>Shortcuts</button></span>
      </footer>
    `
  }

  protected override updated(): void {
    this.#nameTab()
    const { section } = this.#route
    if (section === this.#reached || this.#live.connection === 'locked') return
    this.#reached = section
    // On a phone the sections are wider than the screen.
    this.querySelector('nav [aria-current="page"]')?.scrollIntoView({
      block: 'nearest',
      inline: 'nearest',
    })
  }

  /** In a row of tabs the name alone tells what is open, wrong and new. */
  #nameTab(): void {
    const { environment, intents, findings, detail, intentSearch } = this.#live
    if (!environment || this.#live.connection === 'locked') {
      document.title = 'Inspector'
      return
    }
    if (!document.hidden) this.#seen = intents?.[0]?.id
    const news = isOpen(intentSearch.filter)
      ? (intents ?? []).findIndex(({ id }) => id === this.#seen)
      : 0
    const count = news === -1 ? intents?.length : news
    document.title = [
      `${count ? `(${count}) ` : ''}${detail?.intent.orderId ?? titles[this.#route.section]}`,
      ...(findings.length > 0 ? [`Lint ${findings.length}`] : []),
      'Inspector',
    ].join(' · ')
  }

  #gate(): TemplateResult {
    const enter = (event: SubmitEvent): void => {
      event.preventDefault()
      const token = readToken(this.querySelector<HTMLInputElement>('#token')?.value ?? '')
      if (token) this.#live.unlock(token)
      else
        this.#live.refuse('This is no admin token. Paste the printed link, or what follows its #.')
    }
    const { refusal } = this.#live
    return html`<main class="gate">
      <img src=${iconUrl} alt="" width="40" height="40">
      <h1>Inspector</h1>
      <p>Open the link that <code>pi-service start</code> printed. It carries the admin token of
        that start, which this page keeps in memory only: a reload asks for it again.</p>
      <form @submit=${enter}>
        <label for="token">Admin token, or the whole link</label>
        <input id="token" type="password" autocomplete="off" spellcheck="false" required
          aria-invalid=${refusal ? 'true' : 'false'} aria-describedby="refusal">
        <p id="refusal" role="alert">${refusal}</p>
        <button class="primary">Open the inspector</button>
      </form>
    </main>`
  }

  #trouble(text: string | undefined): TemplateResult | typeof nothing {
    if (!text) return nothing
    return html`<div class="trouble" role="alert">
      <p>${text}</p>
      ${
        this.#live.trouble
          ? html`<button type="button" class="small" @click=${() => this.#live.dismiss()}>Close</button>`
          : nothing
      }
    </div>`
  }

  #environmentChoice(): TemplateResult {
    const { environments, environment } = this.#live
    if (environments.length < 2) {
      return html`<span class="merchant"><bdi>${environment?.merchant}</bdi><i>test</i></span>`
    }
    const choose = ({ target }: Event): void => {
      if (!(target instanceof HTMLSelectElement)) return
      void this.#live.choose(target.value)
      // What is open is of the other merchant.
      const { section, id } = this.#route
      if (id) location.hash = writeRoute({ section })
    }
    return html`<span class="merchant">
      <select aria-label="Merchant" @change=${choose}>
        ${environments.map(
          ({ id, merchant }) =>
            html`<option value=${id} .selected=${live(id === environment?.id)}>${merchant}</option>`,
        )}
      </select><i>test</i></span>`
  }

  /** Only where the sandbox does not live in the present. */
  #clock(): TemplateResult | typeof nothing {
    const { clock } = this.#live.environment ?? {}
    if (!clock || clock.offset === 0) return nothing
    return html`<a class="shifted" href=${writeRoute({ section: 'environment' })}
      title=${`Sandbox time when it was set: ${timeText(clock.now)}`}>Clock ${spanText(clock.offset)}</a>`
  }

  #tab(section: Section, at: number): TemplateResult {
    const { intents, older, findings, rules, intentSearch } = this.#live
    const counts: Partial<Record<Section, number | string>> = {
      // Of what fits a filter is no number of intents.
      intents: isOpen(intentSearch.filter) ? `${intents?.length || ''}${older ? '+' : ''}` : '',
      lint: findings.length,
      faults: rules.length,
    }
    const count = counts[section]
    const alarm = section === 'lint' || section === 'faults'
    const current = section === this.#route.section
    return html`<a href=${writeRoute({ section })} aria-current=${current ? 'page' : 'false'}
      title=${`Press ${at + 1}`}>${titles[section]}${
        count ? html` <b class=${alarm ? 'alarm' : ''}>${count}</b>` : nothing
      }</a>`
  }

  #section(): TemplateResult {
    const { section, id } = this.#route
    // A new object each time: the views have no other way to learn that the store has changed.
    const state = { live: this.#live }
    switch (section) {
      case 'intents':
        return html`<intents-view .state=${state} .selected=${id}></intents-view>`
      case 'requests':
        return html`<requests-view .state=${state} .selected=${id}></requests-view>`
      case 'idempotency':
        return html`<idempotency-view .state=${state}></idempotency-view>`
      case 'lint':
        return html`<lint-view .state=${state}></lint-view>`
      case 'faults':
        return html`<faults-view .state=${state}></faults-view>`
      case 'environment':
        return html`<environment-view .state=${state}></environment-view>`
    }
  }

  readonly #look = (): void => this.requestUpdate()

  readonly #follow = (): void => {
    // A link can be pasted into the open page too.
    const token = takeToken()
    if (token) this.#live.unlock(token)
    this.#live.dismiss()
    this.#route = readRoute(location.hash)
    const { section, id } = this.#route
    void this.#live.open(section === 'intents' ? id : undefined)
    const { requests } = this.#live
    // A link from elsewhere leads to a request that a filter may hide.
    if (section === 'requests' && id && !requests.some(({ requestId }) => requestId === id)) {
      void this.#live.seekRequests(everyRequest)
    }
    this.requestUpdate()
  }

  /** Single keys get in the way of whoever speaks to the machine (WCAG 2.2, 2.1.4). */
  readonly #switchShortcuts = (): void => {
    this.#shortcuts = !this.#shortcuts
    localStorage.setItem(shortcutsName, this.#shortcuts ? 'on' : 'off')
    this.requestUpdate()
  }

  readonly #press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const typing =
      event.target instanceof Element && event.target.matches('input, select, textarea')
    if (event.key === 'Escape') {
      if (typing && event.target instanceof HTMLElement) event.target.blur()
      else if (this.#route.id) location.hash = writeRoute({ section: this.#route.section })
      return
    }
    if (typing || document.querySelector('dialog[open]')) return
    const section = sections[Number(event.key) - 1]
    if (section && this.#shortcuts) location.hash = writeRoute({ section })
    if (event.key === '/' && this.#shortcuts) {
      event.preventDefault()
      this.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.#step(event.key === 'ArrowDown' ? 1 : -1, event)
    }
  }

  #step(by: number, event: Event): void {
    const { section, id: openId } = this.#route
    const rows = [...this.querySelectorAll<HTMLElement>('main [data-id]')]
    const at = rows.findIndex(({ dataset }) => dataset.id === openId)
    const next = rows[at === -1 ? 0 : at + by]
    if (!next) return
    event.preventDefault()
    // One entry of the history for the whole walk: back leads out of it.
    const address = writeRoute({ section, id: next.dataset.id })
    if (openId) location.replace(address)
    else location.hash = address
    next.scrollIntoView({ block: 'nearest' })
  }
}

/** What every view is given. */
export interface ViewState {
  readonly live: Live
}

const shortcutsName = 'pi-inspector-shortcuts'

const iconUrl = new URL('./icon.svg', import.meta.url).href

const titles: Readonly<Record<Section, string>> = {
  intents: 'Intents',
  requests: 'Requests',
  idempotency: 'Idempotency',
  lint: 'Lint',
  faults: 'Faults',
  environment: 'Environment',
}
