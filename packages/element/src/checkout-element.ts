/** The custom element `<pi-checkout>`: properties, states, events, and rendering. @module */
import {
  type CSSResult,
  type PropertyDeclarations,
  type PropertyValues,
  ReactiveElement,
} from '@lit/reactive-element'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import { type Appearance, appearanceOf } from './appearance.ts'
import {
  Credentials,
  type FetchHandoff,
  type Handoff,
  type MountedCredentials,
} from './credentials.ts'
import { CheckoutError, type CheckoutErrorCode, helpFor } from './errors.ts'
import { type CheckoutState, PiEvent, type PiEventFields, type PiEventType } from './events.ts'
import { FrameSession, type SessionEvent } from './frame-session.ts'
import { closestLanguage, textsFor } from './locale.ts'
import { originOf } from './origin.ts'
import { styles } from './styles.ts'
import { warnAboutUnknown } from './unknown-properties.ts'
import { CheckoutView } from './view.ts'

/**
 * Shows the hosted checkout of one Payment Intent. Card data and the payment's result stay in its frame.
 *
 * @tagname pi-checkout
 * @attr {string} intent-id - Sets `intentId`. Removing the attribute clears an id that it set.
 * @fires {PiReadyEvent} pi-ready - The form is usable. Fires again after each new handshake.
 * @fires {PiStateChangeEvent} pi-statechange - The state changed. Fires before the specific event.
 * @fires {PiLeaveEvent} pi-leave - The bank's page is about to replace yours: remove your `beforeunload` handler.
 * @fires {PiFinishEvent} pi-finish - The buyer is done with the form. Not proof of payment: ask your server.
 * @fires {PiCancelEvent} pi-cancel - The buyer canceled. Not proof of anything: ask your server.
 * @fires {PiErrorEvent} pi-error - The checkout cannot be shown. `error.code` names the reason.
 * @slot - Shown before the definition and while idle.
 * @slot loading - Replaces the loading text.
 * @slot error - Replaces the error text. The retry button stays.
 * @csspart frame - The iframe.
 * @csspart loading - The box with the loading text.
 * @csspart error - The box with the error text and the retry button.
 * @csspart retry - The retry button.
 * @cssprop [--pi-checkout-min-block-size=532px] - Reserved height.
 * @cssprop [--pi-checkout-max-block-size=5000px] - Maximum height. A taller page scrolls in the frame.
 * @cssstate idle - No handoff is set or requested.
 * @cssstate loading - The handoff is requested, or the hosted page is loading.
 * @cssstate ready - The form is usable.
 * @cssstate busy - A payment is in progress, from Pay to its result, challenge included.
 * @cssstate finished - The buyer is done with the form, or canceled.
 * @cssstate error - The checkout cannot be shown.
 */
export class PiCheckout extends ReactiveElement {
  static override styles: CSSResult = styles

  static override get observedAttributes(): string[] {
    // React 19 prints camel-case properties as attributes, which HTML reads in lower case.
    // biome-ignore lint/complexity/noThisInStatic: Lit collects the attributes of the class that asks.
    return [...super.observedAttributes, 'intent-id', 'intentid', 'client-secret', 'clientsecret']
  }

  static override properties: PropertyDeclarations = {
    appearance: { attribute: false },
    label: {},
    locale: {},
  }

  /**
   * Look of the hosted page. Another object changes the page without a reload. The card fields keep their values.
   *
   * @default The appearance of `configureCheckout`
   * @example
   * pay.appearance = { accent: '#ad4318', background: '#fffdf9', text: '#2a2019', radius: 14 }
   */
  declare appearance: Appearance | null

  /**
   * Accessible name and title of the frame.
   *
   * @default "Secure payment form" in the locale
   */
  declare label: string | null

  /**
   * BCP 47 tag for the texts and the hosted page.
   *
   * @default The closest `lang` attribute
   */
  declare locale: string | null

  readonly #internals = this.attachInternals()
  readonly #credentials = new Credentials()
  readonly #view = new CheckoutView(() => this.reload())
  /** Whether the id was set by attribute, so that removing the attribute clears it. */
  #idFromAttribute = false
  #mounted: MountedCredentials | undefined
  #session: FrameSession | undefined
  #fetchHandoff: FetchHandoff | null = null
  /** The running call of `fetchHandoff`, or the last one if it failed. */
  #request: AbortController | undefined
  /** Whether `fetchHandoff` was called for a rejected handoff. `ready` resets it. */
  #renewed = false
  #state: CheckoutState = 'idle'
  #error: CheckoutError | null = null
  /** The error's message and fix, in a test environment. */
  #help = ''
  /** The frame had the focus when it was removed. */
  #lostFocus = false
  #retry: ReturnType<typeof setTimeout> | undefined
  #check: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.appearance = this.label = this.locale = null
    this.#describe()
    // A value set before the definition hides the accessor. Lit handles its own properties only.
    for (const key of ['intentId', 'clientSecret', 'handoff', 'fetchHandoff'] as const) {
      if (!Object.hasOwn(this, key)) continue
      const value = this[key]
      Reflect.deleteProperty(this, key)
      Object.assign(this, { [key]: value })
    }
  }

  /**
   * Requests the handoff from your server: called once when the element is in the document without one, and
   * once more if the checkout rejects it. Its signal aborts when the element is removed, by `reload()`, and
   * when another handoff or `null` is set.
   *
   * Another function is used for the next request, and starts none. `null` cancels a running request.
   *
   * @example
   * pay.fetchHandoff = ({ signal }) => postHandoff('/checkout/handoff', { signal })
   */
  get fetchHandoff(): FetchHandoff | null {
    return this.#fetchHandoff
  }

  set fetchHandoff(value: FetchHandoff | null) {
    if (value && typeof value !== 'function') {
      throw new TypeError('fetchHandoff: must be a function or null')
    }
    this.#fetchHandoff = value ?? null
    if (!value) this.#endRequest()
    this.requestUpdate()
  }

  /**
   * The response of your handoff route: sets `intentId` and `clientSecret` together, `null` clears both. With
   * `fetchHandoff`, `null` requests another one. Write-only: reading returns `null`.
   *
   * @throws {TypeError} If the value has no `id` or no `clientSecret`.
   */
  get handoff(): Handoff | null {
    return null
  }

  set handoff(value: Handoff | null) {
    if (value === null || value === undefined) this.#credentials.clear()
    else this.#credentials.setHandoff(value)
    this.#idFromAttribute = this.#renewed = false
    this.#endRequest()
    this.requestUpdate()
  }

  /**
   * Id of the Payment Intent. With its secret it mounts the hosted page; `null` unmounts it.
   *
   * Not reflected, because a library that morphs the document would remove the attribute.
   */
  get intentId(): string | null {
    return this.#credentials.id
  }

  set intentId(value: string | null) {
    this.#credentials.id = value
    this.#idFromAttribute = false
    this.requestUpdate()
  }

  /**
   * Secret of that intent. Write-only: reading returns `null`. It is sent through the frame's port only.
   *
   * @throws {TypeError} If the value is not a string, or is a secret API key, which no browser may receive.
   */
  get clientSecret(): string | null {
    return null
  }

  set clientSecret(value: string | null) {
    this.#credentials.setSecret(value)
    // Without the property's name: Lit stores changed values, and the secret must not be stored.
    this.requestUpdate()
  }

  /** State of the element. It contains no payment status. */
  get state(): CheckoutState {
    return this.#state
  }

  /** Why the checkout cannot be shown. `null` unless the state is `error`. */
  get error(): CheckoutError | null {
    return this.#error
  }

  /**
   * Mounts the same id and secret again, in any state. The service keeps the payment's progress. Calls
   * `fetchHandoff` if there are none, or if the checkout has rejected them.
   */
  reload(): void {
    this.#renewed = false
    const isRejected =
      this.#error?.code === 'unauthorized' && this.#credentials.mounted === this.#mounted
    if (this.#fetchHandoff && isRejected) this.#credentials.reject()
    else this.#credentials.renew()
    this.#endRequest()
    this.requestUpdate()
  }

  /** Focuses the retry button if it is shown, otherwise the frame. */
  override focus(options?: FocusOptions): void {
    const target = this.shadowRoot?.querySelector('button') ?? this.#session?.frame
    target?.focus(options)
  }

  override connectedCallback(): void {
    super.connectedCallback()
    this.requestUpdate()
    this.#check = setTimeout(() => warnAboutUnknown(this), 1000)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    clearTimeout(this.#check)
    this.#renewed = false
    this.#unmount()
    this.#setState('idle')
  }

  /**
   * Keeps the session when `moveBefore` moves the element.
   *
   * Chromium keeps the frame's document too. Firefox reloads frames in shadow roots: the page connects
   * again, and what the buyer typed is lost.
   */
  connectedMoveCallback(): void {}

  override attributeChangedCallback(
    name: string,
    previous: string | null,
    value: string | null,
  ): void {
    if (name.startsWith('intent')) {
      if (value === this.intentId || (value === null && !this.#idFromAttribute)) return
      this.intentId = value
      this.#idFromAttribute = true
    } else if (!name.startsWith('client')) {
      super.attributeChangedCallback(name, previous, value)
    } else if (value !== null) {
      // Removed first, so that the document does not contain it even if the setter throws.
      this.removeAttribute(name)
      this.clientSecret = value
    }
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Before the update: the frame is inserted one microtask after both values are set.
    this.#update()
    this.#describe()
    if (this.#session) this.#session.frame.title = this.#title
    if (changed.has('locale') || changed.has('appearance')) this.#session?.configure()
  }

  protected override createRenderRoot(): HTMLElement | DocumentFragment {
    const root = super.createRenderRoot()
    root.append(this.#view.box)
    return root
  }

  protected override update(changed: PropertyValues<this>): void {
    super.update(changed)
    const texts = textsFor(this.#language)
    const { state, error } = this
    this.#view.show({ state, error, help: this.#help, texts, frame: this.#session?.frame })
  }

  /** The checkout's origin, or the page's own if none is configured. */
  get #origin(): string {
    return originOf(this.constructor as typeof PiCheckout) ?? location.origin
  }

  get #language(): string {
    return this.locale || closestLanguage(this) || 'en'
  }

  get #title(): string {
    return this.label || textsFor(this.#language).title
  }

  /** Why this page cannot show any checkout. */
  get #pageError(): CheckoutErrorCode | undefined {
    if (this.#origin === location.origin) return 'not_configured'
    // Properties of `window`, because jsdom has neither.
    if (window.isSecureContext === false) return 'insecure_context'
    // An isolated page can show a page that is not isolated only in a credentialless frame.
    if (window.crossOriginIsolated && !('credentialless' in HTMLIFrameElement.prototype)) {
      return 'cross_origin_isolated'
    }
    return undefined
  }

  /** Requests a handoff, mounts, or unmounts, so that the frame belongs to the current id and secret. */
  #update(): void {
    if (!this.isConnected) return
    const { mounted } = this.#credentials
    if (mounted !== this.#mounted) {
      this.#unmount()
      this.#mounted = mounted
      if (mounted) {
        mounted.retried = false
        this.#mount(mounted)
      }
    } else if (mounted || this.#request) return
    else if (this.#fetchHandoff) void this.#requestHandoff(this.#fetchHandoff)
    else if (this.#state !== 'idle') this.#setState('idle')
    else return
    // An event handler may have set other values, for which Lit starts no update during this one.
    this.#update()
  }

  async #requestHandoff(fetchHandoff: FetchHandoff): Promise<void> {
    const request = new AbortController()
    this.#request = request
    // The page may have set a handoff, or removed the element.
    const isCurrent = (): boolean => request === this.#request && !this.#credentials.mounted
    // Before the request, for which the server creates an intent.
    const code = this.#pageError
    if (code) {
      this.#fail(undefined, code)
      return
    }
    this.#setState('loading')
    if (!isCurrent()) return
    try {
      const handoff = await fetchHandoff({ signal: request.signal })
      if (!isCurrent()) return
      this.#credentials.setHandoff(handoff)
      this.#idFromAttribute = false
      this.#request = undefined
      this.requestUpdate()
    } catch (cause) {
      if (isCurrent()) this.#fail(undefined, 'handoff_failed', { cause })
    }
  }

  #mount(mounted: MountedCredentials): void {
    const isValid = paymentIntentIdPattern.test(mounted.id)
    const code = this.#pageError ?? (isValid ? undefined : 'invalid_values')
    if (code) {
      this.#fail(mounted, code)
      return
    }
    this.#session = new FrameSession({
      ...mounted,
      origin: this.#origin,
      locale: () => this.#language,
      appearance: () => this.appearance ?? appearanceOf(this.constructor as typeof PiCheckout),
      emit: (event) => this.#onSessionEvent(mounted, event),
    })
    this.requestUpdate()
    this.#setState('loading')
  }

  /** Forgets a running or failed request, so that the next update can start another one. */
  #endRequest(): void {
    this.#request?.abort()
    this.#request = undefined
  }

  #unmount(): void {
    this.#mounted = undefined
    clearTimeout(this.#retry)
    this.#endRequest()
    this.#session?.end()
    this.#session = undefined
  }

  #onSessionEvent(mounted: MountedCredentials, event: SessionEvent): void {
    switch (event.t) {
      case 'hello':
        this.#setState('loading')
        return
      case 'ready':
        mounted.retried = this.#renewed = this.#lostFocus = false
        if (this.#state === 'loading' && this.#setState('ready')) this.#dispatch('pi-ready')
        return
      case 'busy':
        if (this.#state === 'ready' || this.#state === 'busy') {
          this.#setState(event.on ? 'busy' : 'ready')
        }
        return
      case 'leave':
        this.#dispatch('pi-leave')
        return
      case 'fail':
        if (event.code === 'unauthorized' && this.#fetchHandoff && !this.#renewed) {
          this.#renewed = true
          this.#noteFocus()
          this.#credentials.reject()
          this.requestUpdate()
        } else this.#fail(mounted, event.code, event)
        return
      default:
        // A reloaded page reports it again.
        if (!this.#setState('finished') || mounted.reported) return
        mounted.reported = true
        this.#dispatch(`pi-${event.t}`, { intentId: mounted.id })
    }
  }

  /**
   * Retries the first retryable failure without an event, and shows every other one.
   *
   * @param mounted - What was mounted. `undefined` if there is no handoff.
   * @param details - `test`: whether the checkout reports a test environment. A page on plain http is one, too.
   */
  #fail(
    mounted: MountedCredentials | undefined,
    code: CheckoutErrorCode,
    { test, cause }: { readonly test?: true | undefined; readonly cause?: unknown } = {},
  ): void {
    let error = new CheckoutError(code, { cause })
    if (error.retryable && !navigator.onLine) error = new CheckoutError('offline', { cause })
    this.#noteFocus()
    this.#session?.end()
    this.#session = undefined
    this.requestUpdate()
    if (error.retryable && mounted && !mounted.retried) {
      mounted.retried = true
      this.#retry = setTimeout(() => this.#mount(mounted), 500 + 500 * Math.random())
      this.#setState('loading')
      return
    }
    this.#error = error
    this.#help = ''
    if (test || location.protocol === 'http:') {
      this.#help = `${error.message}. ${helpFor(error, this.#origin)}`
      // biome-ignore lint/suspicious/noConsole: for the developer of the page
      console.error(this.#help)
    }
    if (this.#setState('error')) this.#dispatch('pi-error', { error })
    void this.updateComplete.then(() => {
      // To the retry button, unless the buyer has focused something else.
      if (this.#lostFocus && document.activeElement === document.body) this.focus()
      this.#lostFocus = false
    })
  }

  /** Remembers that the frame has the focus, before it is removed. */
  #noteFocus(): void {
    const active = this.shadowRoot?.activeElement
    if (active && active === this.#session?.frame) this.#lostFocus = true
  }

  /** @returns Whether the element is still in this state after the event's handlers. */
  #setState(state: CheckoutState): boolean {
    const previous = this.#state
    if (this.#session) this.#session.frame.inert = state === 'loading'
    if (state === previous) return true
    this.#state = state
    if (state !== 'error') {
      this.#error = null
      this.#help = ''
    }
    this.#describe()
    this.requestUpdate()
    this.#dispatch('pi-statechange', { state, previous })
    return this.#state === state
  }

  /** Sets role, name, and state for assistive technology and for `:state()` in styles. */
  #describe(): void {
    const state = this.#state
    const ariaBusy = String(state === 'loading' || state === 'busy')
    try {
      Object.assign(this.#internals, { role: 'group', ariaLabel: this.#title, ariaBusy })
      this.#internals.states.clear()
      this.#internals.states.add(state)
    } catch {
      // jsdom lacks most of it, and Chromium before 125 accepts only states that begin with dashes.
    }
  }

  #dispatch<T extends PiEventType>(type: T, fields?: PiEventFields[T]): void {
    this.dispatchEvent(new PiEvent(type, fields))
  }
}
