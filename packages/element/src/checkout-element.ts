/** The custom element `<pi-checkout>`: properties, states, and rendering. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import {
  type CSSResult,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit'
import type { PaymentPhase } from './client/fetch-status.ts'
import type { CheckoutError } from './errors.ts'
import { type CheckoutState, PiEvent } from './events.ts'
import { FrameController } from './frame-controller.ts'
import type { FetchHandoff, FetchStatus, Handoff } from './handoff.ts'
import { PaymentController } from './payment-controller.ts'
import { styles } from './styles.ts'
import { type ButtonName, buttonFor, errorOf, resultOf, type TextName, textsFor } from './texts.ts'

/**
 * Shows the hosted checkout for one order, and then what your server says about its payment. Card data stays in its frame.
 *
 * @tagname pi-checkout
 * @fires {PiReadyEvent} pi-ready - The form is usable. Fires again after each new handshake, and if a payment is declined after the form has ended.
 * @fires {PiStateChangeEvent} pi-statechange - The state changed. Fires before the specific event.
 * @fires {PiPhaseEvent} pi-phase - Your server has another phase of the payment: once for each intent and phase.
 * @fires {PiLeaveEvent} pi-leave - The page of the bank, or the full page, is about to replace yours: remove your `beforeunload` handler.
 * @fires {PiFinishEvent} pi-finish - Without `fetchStatus`: the buyer is done with the form, each time. Not proof of payment: ask your server.
 * @fires {PiCancelEvent} pi-cancel - Without `fetchStatus`: the buyer canceled. Not proof of anything: ask your server.
 * @fires {PiErrorEvent} pi-error - The checkout or the result cannot be shown. `error.code` names the reason.
 * @slot - Shown before the definition and while idle.
 * @slot loading - Replaces the places of the form.
 * @slot paid - Replaces the text of a paid order. Like the next four, with `hidden`: the element shows it.
 * @slot confirming - Replaces the text while your server is asked.
 * @slot processing - Replaces the text while the bank is processing the payment.
 * @slot review - Replaces the text while your shop decides about a payment.
 * @slot failed - Replaces the text of a failed payment. The retry button stays.
 * @slot error - Replaces the error text. The retry button stays.
 * @slot page - A form to the full page, shown below the error text. Before the definition it is shown, too.
 * @csspart loading - The box with the places of the form and the loading text.
 * @csspart result - The box with the payment's result.
 * @csspart error - The box with the error text and the retry button.
 * @csspart retry - The retry button.
 * @cssstate idle - Nothing to request a handoff with, or an empty `order-id`.
 * @cssstate loading - The handoff is requested, or the hosted page is loading.
 * @cssstate ready - The form is usable.
 * @cssstate busy - A payment is in progress, from Pay to its result, challenge included.
 * @cssstate confirming - The form has ended, and your server is asked for the result.
 * @cssstate processing - The bank is processing the payment.
 * @cssstate paid - Your server says that the order is paid.
 * @cssstate review - Your shop must decide about a payment.
 * @cssstate failed - The payment failed. The retry button requests the next intent.
 * @cssstate finished - Without `fetchStatus`: the buyer is done with the form, or canceled.
 * @cssstate error - The checkout or the result cannot be shown.
 */
export class PiCheckout extends LitElement {
  static override styles: CSSResult = styles

  static override properties: PropertyDeclarations = {
    appearance: { attribute: false },
    basePath: { attribute: 'base-path' },
    fetchHandoff: { attribute: false },
    fetchStatus: { attribute: false },
    // Lit takes over a value that was set before the definition.
    handoff: { attribute: false, noAccessor: true },
    locale: {},
    orderId: { attribute: 'order-id' },
  }

  /**
   * Look of the hosted page. Another object changes the page without a reload. The card fields keep their values.
   *
   * @default The appearance of `configureCheckout`
   * @example
   * pay.appearance = { accent: '#ad4318', background: '#fffdf9' }
   */
  declare appearance: Appearance | null | undefined

  /**
   * Path of the routes of `createCheckout`, as the browser sees it, such as `/checkout`. On the page's own origin. Another
   * value starts over.
   *
   * @default None: `fetchHandoff` or `handoff`
   */
  declare basePath: string | null | undefined

  /**
   * Requests the handoff from your server, instead of the route below `base-path`.
   *
   * With `order-id`, another function is used for the next request. Without, it starts over, so that an inline function of a
   * render would start again and again: pass one that stays the same. Its signal aborts when the handoff is no longer needed.
   *
   * @default `postHandoff` with the route below `base-path`
   * @example
   * pay.fetchHandoff = (options) => postHandoff('https://api.shop.example/checkout/handoff', options)
   */
  declare fetchHandoff: FetchHandoff | null | undefined

  /**
   * Requests the payment's phase from your server, instead of the route below `base-path`. Without both, the element knows no
   * result, and dispatches `pi-finish` and `pi-cancel`.
   *
   * @default `getStatus` with the route below `base-path`
   * @example
   * pay.fetchStatus = (options) => getStatus('https://api.shop.example/checkout/status', options)
   */
  declare fetchStatus: FetchStatus | null | undefined

  /**
   * BCP 47 tag for the texts and the hosted page.
   *
   * @default The closest `lang` attribute
   */
  declare locale: string | null | undefined

  /**
   * Id of the order. Another one starts over, after a payment that is in progress. An empty one waits.
   *
   * @default The order that your `authorize` hook returns without an id
   */
  declare orderId: string | null | undefined

  readonly #internals = this.attachInternals()
  readonly #frame = new FrameController(this)
  readonly #payment = new PaymentController(this, this.#frame)
  /** What has the focus before an update. */
  #focused: Element | null | undefined

  /**
   * The response of your handoff route, for a page that has it. Another one starts over. `null` unmounts, or requests one. Both wait for a payment that is in progress.
   *
   * Write-only: reading returns `null`. The secret is sent through the frame's port only.
   *
   * @throws {TypeError} If the value has no `id` or no `clientSecret`, or has a secret API key.
   */
  get handoff(): Handoff | null {
    return null
  }

  set handoff(value: Handoff | null) {
    // Without a property: Lit stores changed values, and the secret must not be stored.
    this.#payment.setHandoff(value)
  }

  /** State of the element. */
  get state(): CheckoutState {
    return this.#payment.payment.name
  }

  /** What your server says about the payment. `null` before it was asked, and while the buyer uses the form. */
  get phase(): PaymentPhase | null {
    return this.#payment.payment.report?.phase ?? null
  }

  /** Why the checkout or the result cannot be shown. `null` unless the state is `error`. */
  get error(): CheckoutError | null {
    return this.#payment.payment.error ?? null
  }

  /**
   * Mounts the same handoff again, in any state. The service keeps the payment's progress. Requests a handoff if there is
   * none, or if the checkout has rejected it, or if its payment has a result.
   */
  reload(): void {
    this.#payment.again()
  }

  /** Focuses the form, the retry button, or the result: what is shown. */
  override focus(options?: FocusOptions): void {
    this.#target?.focus(options)
  }

  protected override willUpdate(): void {
    this.#focused = this.shadowRoot?.activeElement
  }

  protected override render(): TemplateResult {
    const { state } = this
    const { element: frame } = this.#frame
    // A result that receives the focus is read then.
    const isRead = !frame && this.#focused && this.#focused !== this.#part('result')
    // The frame stays in one place, because a moved frame loads again.
    return html`<div class="box">
      <slot ?hidden=${state !== 'idle'}></slot>
      <div part="loading" role="status" tabindex="-1">${state === 'loading' ? this.#loading() : nothing}</div>
      <div part="result" role="status" tabindex="-1" aria-live=${isRead ? 'off' : 'polite'}>
        ${this.#result()}
      </div>
      <div part="error" role="alert" tabindex="-1">${this.error && this.#failure(this.error)}</div>
      ${frame}
    </div>`
  }

  protected override updated(): void {
    const { state } = this
    const { element: frame } = this.#frame
    // A screen reader announces no text while an element is busy.
    const ariaBusy = state === 'loading' && this.#payment.payment.delay === 0
    const title = this.#textOf('title')
    if (frame) Object.assign(frame, { title, inert: state === 'loading' })
    try {
      Object.assign(this.#internals, { role: 'group', ariaLabel: title, ariaBusy })
      this.#internals.states.clear()
      this.#internals.states.add(state)
    } catch {
      // Chromium before 125 accepts only states that begin with dashes, and jsdom neither.
    }
    this.#keepFocus()
  }

  /** Moves the focus from what was removed to what is shown now, unless the buyer has focused something else. */
  #keepFocus(): void {
    if (!this.#focused) return
    const active = this.shadowRoot?.activeElement
    const isLost = active ? active.matches('div') : document.activeElement === document.body
    if (isLost && active !== this.#target) this.focus({ preventScroll: true })
  }

  /** What has the focus of the element. */
  get #target(): HTMLElement | null | undefined {
    const { state } = this
    if (state === 'loading') return this.#part(state)
    const retry = this.error && this.#part('retry')
    return retry ?? this.#frame.element ?? this.#part(this.error ? 'error' : 'result')
  }

  #part(name: string): HTMLElement | null | undefined {
    return this.shadowRoot?.querySelector<HTMLElement>(`[part=${name}]`)
  }

  get #textOf() {
    return textsFor(this.#frame.language)
  }

  #loading(): TemplateResult {
    const { delay } = this.#payment.payment
    // "Try again" takes the place of Pay.
    return html`
      <slot name="loading"><div class="skeleton">${Array(delay > 1 ? 6 : 7).fill(html`<i></i>`)}</div></slot>
      ${delay ? this.#message(this.#textOf('late'), delay > 1 && 'retry') : nothing}`
  }

  #result(): unknown {
    const { state } = this
    const { report, delay } = this.#payment.payment
    const [icon, ...names] = resultOf(state, report?.reason)
    // The frame shows its own result.
    if (!icon || this.#frame.element) return nothing
    const button = report?.reason === 'refunded' ? 'pay' : 'retry'
    const content = html`<slot name=${state}>${this.#sentences(names, icon)}</slot>`
    return this.#message(content, state === 'failed' && button, delay ? this.#textOf('late') : '')
  }

  #failure(error: CheckoutError): unknown {
    const { code } = error
    const { payment } = this.#payment
    const { element: frame } = this.#frame
    const mayHavePaid = !!(frame || payment.mayHavePaid || code === 'status_failed')
    const button = buttonFor(error, mayHavePaid)
    // The frame shows its result.
    if (frame && !button) return nothing
    const names = errorOf(error, mayHavePaid, !!this.querySelector('[slot=page]'))
    return this.#message(
      html`<slot name="error">${this.#sentences(names, '!')}</slot>`,
      button,
      // Not beside "Do not pay again", and not without a network.
      html`<slot name="page" ?hidden=${mayHavePaid || code === 'offline'}
        @submit=${() => this.dispatchEvent(new PiEvent('pi-leave'))}
      ></slot>`,
    )
  }

  #message(text: unknown, button?: ButtonName | false, more?: unknown): TemplateResult {
    const onClick = button === 'reload' ? () => location.reload() : this.reload
    return html`<div class="message">
      ${text}
      ${button ? html`<button part="retry" @click=${onClick}>${this.#textOf(button)}</button>` : nothing}
      ${more}
    </div>`
  }

  /** Each sentence is a line. The first one is a heading. A frame has its own, and says what else is known. */
  #sentences(names: readonly TextName[], icon: string): unknown {
    const { element: frame } = this.#frame
    const shown = names.filter((name) => !frame || name === 'ended')
    const sentences = shown.map((name, index) => {
      const text = this.#textOf(name)
      return html`<span>${frame || index ? text : text.replace(/.$/, '')}</span> `
    })
    if (frame) return sentences
    return html`<b aria-hidden="true" data-icon=${icon}>${icon}</b>${sentences}`
  }
}

declare global {
  interface HTMLElementTagNameMap {
    'pi-checkout': PiCheckout
  }
}
