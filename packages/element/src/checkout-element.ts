/**
 * `<pi-checkout>`: two values in, the hosted checkout on the page, no result out.
 *
 * @module
 */
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import {
  type CSSResult,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit'
import { CheckoutError, type CheckoutErrorCode } from './errors.ts'
import { type CheckoutState, PiEvent, type PiEventFields, type PiEventType } from './events.ts'
import { FrameSession, type SessionNews } from './frame-session.ts'
import { helpFor } from './help.ts'
import { closestLanguage, type Texts, textsFor } from './locale.ts'
import { checkoutOrigin } from './origin.ts'
import { styles } from './styles.ts'

/**
 * The hosted checkout, mounted from two values. Card data stays in the frame; no result comes out.
 *
 * @attr {string} intent-id - Gives `intentId`; taken away again it ends the pair that it gave.
 * @fires {PiReadyEvent} pi-ready - The form is usable, again after each new handshake.
 * @fires {PiStateChangeEvent} pi-statechange - The state changed; comes before the specific event.
 * @fires {PiLeaveEvent} pi-leave - The top page is about to move: drop your `beforeunload` guard.
 * @fires {PiFinishEvent} pi-finish - Not proof of payment: the buyer is done, so ask your server.
 * @fires {PiCancelEvent} pi-cancel - Not proof of anything: the buyer left the form on purpose.
 * @fires {PiErrorEvent} pi-error - The checkout cannot be shown; the error's code says who must act.
 * @slot - Shown before definition and while idle.
 * @slot loading - Replaces the loading text.
 * @slot error - Replaces the error text; the retry button stays.
 * @csspart frame - The iframe.
 * @csspart loading - The box of the loading text.
 * @csspart error - The box of the error text and the retry button.
 * @csspart retry - The retry button.
 * @cssprop [--pi-checkout-min-block-size=600px] - Reserved height.
 * @cssprop [--pi-checkout-max-block-size=5000px] - Upper bound; past it the frame scrolls.
 * @cssstate idle - No pair of values yet.
 * @cssstate loading - The hosted page is on its way.
 * @cssstate ready - The form is usable.
 * @cssstate busy - From Pay until an outcome, challenge included.
 * @cssstate finished - The buyer is done with the form, or left it.
 * @cssstate error - The checkout cannot be shown.
 */
export class PiCheckout extends LitElement {
  static override styles: CSSResult = styles

  static override get observedAttributes(): string[] {
    // React 19 prints camel-case properties as attributes, which HTML reads in lower case.
    // biome-ignore lint/complexity/noThisInStatic: Lit collects the attributes of the class that asks.
    return [...super.observedAttributes, ...idAttributes, ...secretAttributes]
  }

  static override properties: PropertyDeclarations = { label: {}, locale: {} }

  /** Accessible name and title of the frame; by default "Secure payment form" in the locale. */
  declare label: string | null

  /** BCP 47 tag of texts and hosted page; by default the closest `lang`. */
  declare locale: string | null

  readonly #internals = this.attachInternals()
  #id: string | null = null
  /** The id came by attribute, so the attribute can take it back. */
  #idByAttribute = false
  #secret: string | null = null
  /** The id that the secret was given for: another id never sends it. */
  #owner: string | undefined
  #pair: ServedPair | undefined
  #mounted = false
  #session: FrameSession | undefined
  #state: CheckoutState = 'idle'
  #error: CheckoutError | null = null
  /** What a developer reads beside the error. */
  #help = ''
  #lostFocus = false
  #retry: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.label = this.locale = null
    this.#describe()
    // A value set before the definition hides the accessor. Lit takes over its own properties only.
    for (const key of ['intentId', 'clientSecret'] as const) {
      if (!Object.hasOwn(this, key)) continue
      const value = this[key]
      Reflect.deleteProperty(this, key)
      this[key] = value
    }
  }

  /**
   * Id of the Payment Intent; with its secret it mounts the hosted page, `null` mounts nothing.
   *
   * It is not reflected: a page that morphs its document would take the attribute away again.
   */
  get intentId(): string | null {
    return this.#id
  }

  set intentId(value: string | null) {
    this.#id = value
    this.#idByAttribute = false
    this.requestUpdate()
  }

  /**
   * The secret of that intent. Write-only: reading gives `null`, and it crosses the port alone.
   *
   * @throws {TypeError} The value is no string, or is a secret API key, which no browser may see.
   */
  get clientSecret(): string | null {
    return null
  }

  set clientSecret(value: string | null) {
    const secret: unknown = value ?? null
    if (secret !== null && typeof secret !== 'string') {
      throw new TypeError('clientSecret: must be a string or null')
    }
    if (secret?.startsWith('pi_sk_')) {
      throw new TypeError('clientSecret: is a secret API key; give the clientSecret of a handoff')
    }
    this.#secret = secret
    this.#owner = undefined
    // Without a name: Lit keeps changed values, and this one must not be kept.
    this.requestUpdate()
  }

  /** Where the element stands. It says nothing of the payment. */
  get state(): CheckoutState {
    return this.#state
  }

  /** Why the checkout cannot be shown; `null` unless the state is `error`. */
  get error(): CheckoutError | null {
    return this.#error
  }

  /** Mounts the same pair anew, from any state. Money is safe: the service knows where it stands. */
  reload(): void {
    this.#mounted = false
    this.requestUpdate()
  }

  /** Focuses the retry button if it is shown, else the frame. */
  override focus(options?: FocusOptions): void {
    const target = this.renderRoot.querySelector('button') ?? this.#session?.frame
    target?.focus(options)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#unmount()
    this.#show('idle')
  }

  /**
   * Keeps the session when `moveBefore` moves the element.
   *
   * Chromium keeps the frame too. Firefox loads frames in shadow roots again: the page in it shakes
   * hands anew, and what the buyer has typed is gone.
   */
  connectedMoveCallback(): void {}

  override attributeChangedCallback(
    name: string,
    previous: string | null,
    value: string | null,
  ): void {
    if (idAttributes.includes(name)) {
      if (value === this.#id || (value === null && !this.#idByAttribute)) return
      this.intentId = value
      this.#idByAttribute = true
    } else if (!secretAttributes.includes(name)) {
      super.attributeChangedCallback(name, previous, value)
    } else if (value !== null) {
      // Removed first: whatever taking it does, the document holds it no longer.
      this.removeAttribute(name)
      this.clientSecret = value
    }
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Before Lit renders, so that one microtask after the pair is complete the frame stands.
    this.#followPair()
    this.#describe()
    if (this.#session) this.#session.frame.title = this.#title
    if (changed.has('locale')) this.#session?.configure()
  }

  protected override render(): TemplateResult {
    const texts = this.#texts
    const { state, error } = this
    const help = this.#help
    return html`<div class="box">
      ${state === 'idle' ? html`<slot></slot>` : nothing}
      <div part="loading" role="status">${
        state === 'loading'
          ? html`<slot name="loading">${texts.loading}</slot><p>${texts.slow}</p>`
          : nothing
      }</div>
      <div part="error" role="alert">${
        error
          ? html`<slot name="error">${texts.unavailable}</slot>${help && html`<p>${help}</p>`}`
          : nothing
      }${
        error?.retryable
          ? html`<button part="retry" @click=${this.reload}>${texts.retry}</button>`
          : nothing
      }</div>
      ${this.#session?.frame}
    </div>`
  }

  get #tag(): string {
    return this.locale || closestLanguage(this) || 'en'
  }

  get #title(): string {
    return this.label || this.#texts.title
  }

  get #texts(): Texts {
    return textsFor(this.#tag)
  }

  /** Mounts, keeps or ends what is shown, so that it fits the two values. */
  #followPair(): void {
    if (!this.isConnected) return
    const { intentId: id } = this
    if (id && this.#secret) {
      this.#owner ??= id
      if (this.#owner !== id) this.#secret = null
    }
    const secret = this.#secret
    if (!id || !secret) {
      this.#unmount()
      this.#pair = undefined
      this.#show('idle')
      return
    }
    const served = this.#pair
    const same = served?.id === id && served.secret === secret
    if (same && this.#mounted) return
    this.#unmount()
    this.#pair = { id, secret, retried: false, told: same && served.told }
    this.#mount(this.#pair)
    // A handler may have set another pair meanwhile.
    this.#followPair()
  }

  #mount(pair: ServedPair): void {
    const origin = checkoutOrigin() ?? location.origin
    this.#mounted = true
    if (origin === location.origin) this.#fail('not_configured')
    // Of `window`: jsdom has neither.
    else if (window.isSecureContext === false) this.#fail('insecure_context')
    else if (isBlockedByIsolation()) this.#fail('cross_origin_isolated')
    else if (!paymentIntentIdPattern.test(pair.id)) this.#fail('invalid_values')
    else this.#open(origin, pair)
  }

  #open(origin: string, pair: ServedPair): void {
    this.#session = new FrameSession(this, {
      ...pair,
      origin,
      locale: () => this.#tag,
      tell: (news) => this.#follow(pair, news),
    })
    this.requestUpdate()
    this.#show('loading')
  }

  #unmount(): void {
    this.#mounted = false
    this.#error = null
    clearTimeout(this.#retry)
    this.#session?.end()
    this.#session = undefined
  }

  #follow(pair: ServedPair, news: SessionNews): void {
    switch (news.t) {
      case 'hello':
        this.#show('loading')
        return
      case 'ready':
        pair.retried = this.#lostFocus = false
        if (this.#state === 'loading' && this.#show('ready')) this.#dispatch('pi-ready')
        return
      case 'busy':
        if (this.#state === 'ready' || this.#state === 'busy')
          this.#show(news.on ? 'busy' : 'ready')
        return
      case 'leave':
        this.#dispatch('pi-leave')
        return
      case 'fail':
        this.#fail(news.code, news.test)
        return
      default:
        this.#finish(pair, `pi-${news.t}`)
    }
  }

  /** Tells once per pair that the buyer is done, also when a reloaded page says so again. */
  #finish(pair: ServedPair, type: 'pi-finish' | 'pi-cancel'): void {
    if (!this.#show('finished') || pair.told) return
    pair.told = true
    this.#dispatch(type, { intentId: pair.id })
  }

  /**
   * Tries the first retryable failure of a pair again by itself; shows every other.
   *
   * @param test The checkout says that this is a test environment. A page on plain http is one, too.
   */
  #fail(code: CheckoutErrorCode, test = location.protocol === 'http:'): void {
    const pair = this.#pair
    let error = new CheckoutError(code)
    if (error.retryable && !navigator.onLine) error = new CheckoutError('offline')
    const active = this.shadowRoot?.activeElement
    if (active && active === this.#session?.frame) this.#lostFocus = true
    this.#session?.end()
    this.#session = undefined
    this.requestUpdate()
    if (pair && error.retryable && !pair.retried) {
      pair.retried = true
      this.#retry = setTimeout(() => this.#mount(pair), 500 + 500 * Math.random())
      this.#show('loading')
      return
    }
    this.#error = error
    this.#help = test ? `${error.message}. ${helpFor(error.code)}` : ''
    // biome-ignore lint/suspicious/noConsole: the developer of the page looks there
    if (test) console.error(this.#help)
    if (this.#show('error')) this.#dispatch('pi-error', { error })
    void this.updateComplete.then(() => this.#regainFocus())
  }

  /** Hands the focus that a lost frame had to Try again, unless the buyer has moved on. */
  #regainFocus(): void {
    if (this.#lostFocus && document.activeElement === document.body) this.focus()
    this.#lostFocus = false
  }

  /** @returns Whether the element still stands there after the page was told. */
  #show(state: CheckoutState): boolean {
    const previous = this.#state
    if (this.#session) this.#session.frame.inert = state === 'loading'
    if (state === previous) return true
    this.#state = state
    this.#describe()
    this.requestUpdate()
    this.#dispatch('pi-statechange', { state, previous })
    return this.#state === state
  }

  /** Tells assistive technology, and `:state()` of the page's own styles. */
  #describe(): void {
    const state = this.#state
    const ariaBusy = String(state === 'loading' || state === 'busy')
    try {
      Object.assign(this.#internals, { role: 'group', ariaLabel: this.#title, ariaBusy })
      this.#internals.states.clear()
      this.#internals.states.add(state)
    } catch {
      // jsdom lacks most of it, and Chromium before 125 takes dashed states only: they go without.
    }
  }

  #dispatch<T extends PiEventType>(type: T, fields?: PiEventFields[T]): void {
    this.dispatchEvent(new PiEvent(type, fields))
  }
}

/** Two values as they are served, and what was done for them. */
interface ServedPair {
  readonly id: string
  readonly secret: string
  /** The one silent retry was used. */
  retried: boolean
  /** `pi-finish` or `pi-cancel` was dispatched. */
  told: boolean
}

/** An isolated page shows a frame of a page that is not only if it is credentialless. */
function isBlockedByIsolation(): boolean {
  return window.crossOriginIsolated && !('credentialless' in HTMLIFrameElement.prototype)
}

const idAttributes: readonly string[] = ['intent-id', 'intentid']
const secretAttributes: readonly string[] = ['client-secret', 'clientsecret']
