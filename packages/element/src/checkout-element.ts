/** The custom element `<pi-checkout>`: properties, states, events, and rendering. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { isLoopback } from '@pi-checkout/contract/origin'
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
import { settings } from './configure-checkout.ts'
import { CheckoutError, type CheckoutErrorCode, helpFor } from './errors.ts'
import { type CheckoutState, PiEvent, type PiEventFields, type PiEventType } from './events.ts'
import { FrameSession, type SessionEvent } from './frame-session.ts'
import { type FetchHandoff, type Handoff, readHandoff } from './handoff.ts'
import { styles } from './styles.ts'
import { closestLanguage, errorText, textsFor } from './texts.ts'
import { warnAboutUnknown } from './unknown-properties.ts'

/**
 * Shows the hosted checkout of one Payment Intent. Card data and the payment's result stay in its frame.
 *
 * @tagname pi-checkout
 * @fires {PiReadyEvent} pi-ready - The form is usable. Fires again after each new handshake, and if a payment is declined after `pi-finish`.
 * @fires {PiStateChangeEvent} pi-statechange - The state changed. Fires before the specific event.
 * @fires {PiLeaveEvent} pi-leave - The page of the bank, or the full page, is about to replace yours: remove your `beforeunload` handler.
 * @fires {PiFinishEvent} pi-finish - The buyer is done with the form, each time. Not proof of payment: ask your server.
 * @fires {PiCancelEvent} pi-cancel - The buyer canceled. Not proof of anything: ask your server.
 * @fires {PiErrorEvent} pi-error - The checkout cannot be shown. `error.code` names the reason.
 * @slot - Shown before the definition and while idle.
 * @slot loading - Replaces the places of the form and the loading text.
 * @slot error - Replaces the error text. The retry button stays.
 * @slot page - A form to the full page, shown below the error text. Before the definition it is shown, too.
 * @csspart frame - The iframe.
 * @csspart loading - The box with the places of the form and the loading text.
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
export class PiCheckout extends LitElement {
  static override styles: CSSResult = styles

  static override properties: PropertyDeclarations = {
    appearance: { attribute: false },
    // Lit takes over values that were set before the definition.
    fetchHandoff: { attribute: false, noAccessor: true },
    handoff: { attribute: false, noAccessor: true },
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
  #fetchHandoff: FetchHandoff | null = null
  /** The current handoff. Another object means another mount. */
  #handoff: Handoff | undefined
  #mounted: Handoff | undefined
  #session: FrameSession | undefined
  /** The running call of `fetchHandoff`, or the last one if it failed. */
  #request: AbortController | undefined
  /** Whether `fetchHandoff` was called for a rejected handoff. A page that is shown resets it. */
  #renewed = false
  /** Whether the automatic retry was used. A page that is shown resets it. */
  #retried = false
  /** Id of the intent whose end was reported since the form was usable. */
  #reported: string | undefined
  #state: CheckoutState = 'idle'
  #error: CheckoutError | null = null
  /** The error's message and fix, in a test environment. */
  #help = ''
  /** The frame had the focus when it was removed. */
  #lostFocus = false
  /** Ends when the element is removed. */
  #connection: AbortController | undefined
  #retry: ReturnType<typeof setTimeout> | undefined
  #check: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super()
    this.appearance = this.label = this.locale = null
    this.#describe()
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
   * The response of your handoff route, instead of `fetchHandoff`. `null` unmounts; with `fetchHandoff` it requests
   * another one.
   *
   * Write-only: reading returns `null`. The secret is sent through the frame's port only.
   *
   * @throws {TypeError} If the value has no `id` or no `clientSecret`, or has a secret API key.
   */
  get handoff(): Handoff | null {
    return null
  }

  set handoff(value: Handoff | null) {
    this.#setHandoff(value ?? undefined)
    if (!this.#handoff) this.#reported = undefined
    this.#renewed = false
    this.#endRequest()
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
   * Mounts the same handoff again, in any state. The service keeps the payment's progress. Calls
   * `fetchHandoff` if there are none, or if the checkout has rejected them.
   */
  reload(): void {
    this.#renewed = false
    const isRejected = this.#error?.code === 'unauthorized' && this.#handoff === this.#mounted
    if (this.#fetchHandoff && isRejected) this.#handoff = undefined
    else this.#handoff &&= { ...this.#handoff }
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
    this.#connection = new AbortController()
    const { signal } = this.#connection
    addEventListener('online', () => this.#error?.code === 'offline' && this.reload(), { signal })
    this.#check = setTimeout(() => warnAboutUnknown(this), 1000)
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#connection?.abort()
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

  protected override willUpdate(changed: PropertyValues<this>): void {
    // Before the update: the frame is inserted one microtask after the handoff is set.
    this.#update()
    this.#describe()
    if (this.#session) this.#session.frame.title = this.#title
    if (changed.has('locale') || changed.has('appearance')) this.#session?.configure()
  }

  protected override render(): TemplateResult {
    const texts = textsFor(this.#language)
    const error = this.#error
    const loading = html`<slot name="loading"><div class="skeleton">
      <i></i><i></i><i></i><i></i><i></i><i></i><i></i><i></i>
      <p>${texts.loading}</p>
    </div></slot>`
    const retry = html`<button part="retry" @click=${this.reload}>${texts.retry}</button>`
    // The frame stays in one place, because a moved frame loads again.
    return html`<div class="box">
      <slot ?hidden=${this.#state !== 'idle'}></slot>
      <div part="loading" role="status">${this.#state === 'loading' ? loading : nothing}</div>
      <div part="error" role="alert">${
        error &&
        html`<div class="message">
          <slot name="error">${errorText(error, texts)}</slot>
          ${error.retryable ? retry : nothing}
          <slot name="page" @submit=${() => this.#dispatch('pi-leave')}></slot>
          ${this.#help && html`<p class="help">Test mode: ${this.#help}</p>`}
        </div>`
      }</div>
      ${this.#session?.frame}
    </div>`
  }

  /** The checkout's origin, or the page's own if none is configured. */
  get #origin(): string {
    return settings.checkoutOrigin ?? location.origin
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

  /** Requests a handoff, mounts, or unmounts, so that the frame belongs to the current handoff. */
  #update(): void {
    if (!this.isConnected) return
    const handoff = this.#handoff
    if (handoff !== this.#mounted) {
      this.#unmount()
      this.#mounted = handoff
      this.#retried = false
      if (handoff) this.#mount(handoff)
    } else if (handoff || this.#request) return
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
    const isCurrent = (): boolean => request === this.#request && !this.#handoff
    // Before the request, for which the server creates an intent.
    const code = this.#pageError
    if (code) {
      this.#fail(code)
      return
    }
    this.#setState('loading')
    if (!isCurrent()) return
    try {
      const handoff = await fetchHandoff({ signal: request.signal })
      if (!isCurrent()) return
      this.#setHandoff(handoff ?? {})
      this.#request = undefined
      this.requestUpdate()
    } catch (cause) {
      if (isCurrent()) this.#fail('handoff_failed', { cause })
    }
  }

  /** Keeps the frame if the handoff is the current one. */
  #setHandoff(value: unknown): void {
    const handoff = value === undefined ? value : readHandoff(value)
    const { id, clientSecret } = this.#handoff ?? {}
    if (handoff?.id !== id || handoff?.clientSecret !== clientSecret) this.#handoff = handoff
  }

  #mount(handoff: Handoff): void {
    const isValid = paymentIntentIdPattern.test(handoff.id)
    const code = this.#pageError ?? (isValid ? undefined : 'invalid_values')
    if (code) {
      this.#fail(code)
      return
    }
    this.#session = new FrameSession({
      handoff,
      origin: this.#origin,
      locale: () => this.#language,
      appearance: () => this.appearance ?? settings.appearance,
      emit: (event) => this.#onSessionEvent(handoff, event),
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

  #onSessionEvent({ id }: Handoff, event: SessionEvent): void {
    switch (event.t) {
      case 'hello':
        this.#setState('loading')
        return
      case 'ready':
        this.#onShown()
        this.#reported = undefined
        if (this.#state !== 'loading' && this.#state !== 'finished') return
        if (this.#setState('ready')) this.#dispatch('pi-ready')
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
          this.#handoff = undefined
          this.requestUpdate()
        } else this.#fail(event.code, event)
        return
      default:
        this.#onShown()
        // A reloaded page reports the same end again.
        if (!this.#setState('finished') || this.#reported === id) return
        this.#reported = id
        this.#dispatch(`pi-${event.t}`, { intentId: id })
    }
  }

  /** The page works: a later failure is another one. */
  #onShown(): void {
    this.#retried = this.#renewed = this.#lostFocus = false
  }

  /**
   * Retries the first retryable failure without an event, and shows every other one.
   *
   * @param details - `test`: whether the checkout reports a test environment. A page on loopback is in one, too.
   */
  #fail(
    code: CheckoutErrorCode,
    { test, cause }: { readonly test?: true | undefined; readonly cause?: unknown } = {},
  ): void {
    let error = new CheckoutError(code, { cause })
    if (error.retryable && !navigator.onLine) error = new CheckoutError('offline', { cause })
    this.#noteFocus()
    this.#session?.end()
    this.#session = undefined
    this.requestUpdate()
    const handoff = this.#mounted
    if (error.retryable && handoff && !this.#retried) {
      this.#retried = true
      this.#retry = setTimeout(() => this.#mount(handoff), 500 + 500 * Math.random())
      this.#setState('loading')
      return
    }
    this.#error = error
    this.#help = ''
    const help = `${error.message}. ${helpFor(error, this.#origin)}`
    // biome-ignore lint/suspicious/noConsole: for the developer of the page
    if (test || location.protocol === 'http:') console.error(help)
    if (test || isLoopback(location.hostname)) this.#help = help
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
    if (state !== 'error') this.#error = null
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

declare global {
  interface HTMLElementTagNameMap {
    'pi-checkout': PiCheckout
  }
}
