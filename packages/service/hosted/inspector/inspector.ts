/** The inspector: live view of the sandbox, with keyboard shortcuts. @module */
import { html, nothing, type TemplateResult } from 'lit'
import { LightElement } from '../light-element.ts'
import { anyIntent, anyRequest, isUnfiltered } from './filters.ts'
import { InspectorState } from './inspector-state.ts'
import { spanText, timeText } from './labels.ts'
import { lintView } from './lint-view.ts'
import { selectField } from './markup.ts'
import { readRoute, readToken, type Section, sections, writeRoute } from './route.ts'

export class Inspector extends LightElement {
  readonly #state = new InspectorState({
    requestUpdate: () => this.requestUpdate(),
    isScrolled: () => (panes.matches ? this.querySelector('.list')?.scrollTop : scrollY) !== 0,
    hasPanes: () => panes.matches,
    replace: (route) => location.replace(writeRoute(route)),
  })
  #shownSection: Section | undefined
  #shortcuts = localStorage.getItem(shortcutsName) !== 'off'

  override connectedCallback(): void {
    super.connectedCallback()
    addEventListener('hashchange', this.#navigate)
    addEventListener('keydown', this.#onKeyDown)
    this.#navigate()
    const token = sessionStorage.getItem(tokenName)
    if (token && this.#state.connection === 'locked') this.#state.unlock(token)
  }

  /** On a phone the tabs scroll sideways. */
  protected override updated(): void {
    const { section } = this.#state.route
    const tab = this.querySelector('nav [aria-current="page"]')
    if (!tab || section === this.#shownSection) return
    this.#shownSection = section
    tab.scrollIntoView({ block: 'nearest', inline: 'center' })
  }

  protected override render(): unknown {
    const { connection, environment, actionError, readError } = this.#state
    if (connection === 'locked') return this.#gate()
    if (!environment) {
      const lost = 'The service does not respond. Check that it is running.'
      const text = connection === 'lost' ? lost : 'Connecting…'
      return html`<main class="apart stack"><p class="hint">${text}</p></main>`
    }
    const isLive = connection === 'live'
    return html`
      <header class="top row">
        <h1 class="row"><img src=${iconUrl} alt="" width="24" height="24">Inspector</h1>
        ${this.#environmentChoice()}
        ${this.#clock()}
        <span class="dot hint" data-tone=${isLive ? 'good' : 'waiting'} role="status">${
          isLive ? 'Connected' : 'Reconnecting…'
        }</span>
      </header>
      <nav aria-label="Sections">
        ${sections.map((section, at) => this.#tab(section, at))}
      </nav>
      ${this.#error(actionError ?? readError)}
      <main data-section=${this.#state.route.section}>${this.#section()}</main>
      <footer class="row between hint">
        <span>Test mode: no real cards or payments. Not a PCI-compliant processor.</span>
        <span class="keys">${
          this.#shortcuts ? html`<kbd>1</kbd>–<kbd>6</kbd> sections <kbd>/</kbd> search` : nothing
        } <kbd>↑</kbd><kbd>↓</kbd> move <kbd>Esc</kbd> back
          <button type="button" class="small" @click=${this.#switchShortcuts}>Turn
            ${this.#shortcuts ? 'off' : 'on'} 1–6 and /</button></span>
      </footer>
    `
  }

  #gate(): TemplateResult {
    const enter = (event: SubmitEvent): void => {
      event.preventDefault()
      const token = readToken(this.querySelector<HTMLInputElement>('#token')?.value ?? '')
      if (token) this.#unlock(token)
      else this.#state.lock(notToken)
    }
    const { tokenError } = this.#state
    return html`<main class="apart stack">
      <img src=${iconUrl} alt="" width="40" height="40">
      <h1>Inspector</h1>
      <p class="hint">Open the inspector link that <code>npm start</code> or <code>pi-service start</code> printed, or
        paste it here. It contains the admin token of the running service. This tab keeps the token until you close it.</p>
      <form class="stack" @submit=${enter}>
        <label for="token">Admin token or link</label>
        <input id="token" type="password" autocomplete="off" spellcheck="false" required
          aria-invalid=${tokenError ? 'true' : 'false'} aria-describedby="token-error">
        <p class="error" id="token-error" role="alert">${tokenError}</p>
        <button class="primary">Open the inspector</button>
      </form>
    </main>`
  }

  #error(text: string | undefined): TemplateResult | typeof nothing {
    if (!text) return nothing
    const close = html`<button type="button" class="small"
      @click=${() => this.#state.dismiss()}>Close</button>`
    return html`<div class="notice between" role="alert">
      <p>${text}</p>${this.#state.actionError ? close : nothing}
    </div>`
  }

  #environmentChoice(): TemplateResult {
    const { environments, environment } = this.#state
    const name = html`<bdi>${environment?.merchant}</bdi>`
    const choice = selectField('Merchant', {
      options: environments.map(({ id, merchant }) => [id, merchant]),
      value: environment?.id,
      onChange: (chosen) => {
        const { section, id } = this.#state.route
        this.#state.selectEnvironment(chosen)
        // The open intent belongs to the other merchant.
        if (id) location.hash = writeRoute({ section })
      },
    })
    return html`<span class="merchant row">${environments.length < 2 ? name : choice}<span
      class="badge" data-tone="quiet">test</span></span>`
  }

  /** Shown only if environment time is not real time. */
  #clock(): TemplateResult | typeof nothing {
    const { clock } = this.#state.environment ?? {}
    if (!clock || clock.offset === 0) return nothing
    return html`<a class="badge" data-tone="waiting" href=${writeRoute({ section: 'environment' })}
      title=${`Environment time when it was set: ${timeText(clock.now)}`}>Clock ${spanText(clock.offset)}</a>`
  }

  #tab(section: Section, at: number): TemplateResult {
    const { lists, listedFilter, environment, route } = this.#state
    const { intents = [], next } = lists.intents ?? {}
    const { failures, findings, rules } = environment?.counts ?? {}
    const counts: Partial<Record<Section, number | string | undefined>> = {
      // The number of matches is not the number of intents.
      intents: isUnfiltered(listedFilter) ? `${intents.length || ''}${next ? '+' : ''}` : '',
      requests: failures && `${failures} failed`,
      lint: findings,
      faults: rules,
    }
    const count = counts[section]
    const tone = tabTones[section] ?? 'waiting'
    const current = section === route.section
    // Links to the requests of a key or an intent set the filter.
    const showAll = (): void => this.#state.searchRequests(anyRequest)
    return html`<a href=${writeRoute({ section })} aria-current=${current ? 'page' : 'false'}
      @click=${section === 'requests' ? showAll : nothing} title=${`Press ${at + 1}`}>${titleOf(section)}${
        count ? html` <b class="badge" data-tone=${tone}>${count}</b>` : nothing
      }</a>`
  }

  #section(): TemplateResult {
    const state = this.#state
    const { section, id } = state.route
    if (section !== 'environment' && !state.lists[section]) {
      return html`<p class="empty">Loading…</p>`
    }
    switch (section) {
      case 'intents':
        return html`<intents-view .state=${state} .selected=${id}></intents-view>`
      case 'requests':
        return html`<requests-view .state=${state} .selected=${id}></requests-view>`
      case 'lint':
        return lintView(state)
      case 'faults':
        return html`<faults-view .state=${state}></faults-view>`
      case 'environment':
        return html`<environment-view .state=${state}></environment-view>`
    }
  }

  /** Keeps the token for a reload of this tab. Only pages of the service's origin in this tab can read it. */
  #unlock(token: string): void {
    sessionStorage.setItem(tokenName, token)
    this.#state.unlock(token)
  }

  readonly #navigate = (): void => {
    // A new link can be opened in the same tab.
    const token = takeToken()
    const route = readRoute(location.hash)
    const { section, id } = route
    const { requests, intents } = this.#state.lists
    // The filter may hide the linked request or intent.
    if (section === 'requests' && id && !requests?.requests.some((each) => each.requestId === id)) {
      this.#state.searchRequests(anyRequest)
    }
    const isLink = section !== this.#state.route.section
    if (section === 'intents' && id && isLink && !intents?.intents.some((each) => each.id === id)) {
      this.#state.searchIntents(anyIntent)
    }
    this.#state.open(route)
    this.#state.dismiss()
    if (token) this.#unlock(token)
  }

  /** Single-key shortcuts disturb speech input, so they can be turned off (WCAG 2.2, 2.1.4). */
  readonly #switchShortcuts = (): void => {
    this.#shortcuts = !this.#shortcuts
    localStorage.setItem(shortcutsName, this.#shortcuts ? 'on' : 'off')
    this.requestUpdate()
  }

  readonly #onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const { target } = event
    const { route } = this.#state
    const typing = target instanceof HTMLElement && target.matches('input, select, textarea')
    if (event.key === 'Escape') {
      if (typing) target.blur()
      else if (route.id) location.hash = writeRoute({ section: route.section })
      return
    }
    if (typing || document.querySelector('dialog[open]')) return
    const tab = this.querySelectorAll<HTMLElement>('nav a')[Number(event.key) - 1]
    if (this.#shortcuts) tab?.click()
    if (event.key === '/' && this.#shortcuts) {
      event.preventDefault()
      this.querySelector<HTMLInputElement>('input[type=search]')?.focus()
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      this.#step(event.key === 'ArrowDown' ? 1 : -1, event)
    }
  }

  #step(by: number, event: Event): void {
    const { section, id: openId } = this.#state.route
    const rows = [...this.querySelectorAll<HTMLElement>('main [data-id]')]
    const at = rows.findIndex(({ dataset }) => dataset.id === openId)
    const next = rows[at === -1 ? 0 : at + by]
    if (!next) return
    event.preventDefault()
    // Moving through the list adds one entry to the history.
    const address = writeRoute({ section, id: next.dataset.id })
    if (openId) location.replace(address)
    else location.hash = address
    next.scrollIntoView({ block: 'nearest' })
  }
}

const tabTones: Partial<Record<Section, string>> = { intents: 'quiet', requests: 'bad' }

/** Where the list and an intent are side by side. */
const panes = matchMedia('(min-width: 52.01rem)')

const tokenName = 'pi-inspector-token'
const shortcutsName = 'pi-inspector-shortcuts'

const notToken = 'This is not an admin token. Paste the printed link, or the part after its #.'

const iconUrl = new URL('./icon.svg', import.meta.url).href

/** `Intents` for `intents`. */
function titleOf(section: Section): string {
  return section.charAt(0).toUpperCase() + section.slice(1)
}

/** Removes the admin token from the address and returns it; `undefined` if there is none. */
function takeToken(): string | undefined {
  const token = readToken(location.hash)
  const route = location.hash.slice(44)
  if (token) history.replaceState(null, '', route ? `#${route}` : location.pathname)
  return token
}
