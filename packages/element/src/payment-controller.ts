/** The effects of the payment's states: requests, timers, the frame, and events. @module */
import type { ReactiveController } from 'lit'
import type { PiCheckout } from './checkout-element.ts'
import { getStatus, type PaymentStatus } from './client/fetch-status.ts'
import { pause, poll, waitFor } from './client/follow-payment.ts'
import { postHandoff } from './client/post-handoff.ts'
import { configuredEvent, settings } from './configure-checkout.ts'
import { CheckoutError } from './errors.ts'
import { PiEvent, type PiEventFields, type PiEventType } from './events.ts'
import type { FrameController } from './frame-controller.ts'
import type { SessionEvent } from './frame-session.ts'
import { type FetchHandoff, type FetchStatus, type OrderHandoff, readHandoff } from './handoff.ts'
import { next, noPayment, type Payment, type PaymentEvent, type Source } from './payment-state.ts'
import { buttonFor } from './texts.ts'

type Request = NonNullable<Payment['request']>

/** In milliseconds: how long a wait has no text, and for how long an element waits to be configured. */
const silence = 4000

/** Longest pause between two requests for the status, in milliseconds. */
const longestPause = 30_000

export class PaymentController implements ReactiveController {
  readonly #host: PiCheckout
  readonly #frame: FrameController
  #payment = noPayment
  /** The handoff that the page has set. */
  #handoff: OrderHandoff | undefined
  /** The one of them that was mounted: then a function has to return the next one. */
  #used: OrderHandoff | undefined
  /** What the page had set at the last update. */
  #inputs: readonly unknown[] | undefined
  #connection = new AbortController()
  #request = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Phases that were reported, with their intents. */
  readonly #reported = new Set<string>()

  constructor(host: PiCheckout, frame: FrameController) {
    this.#host = host
    this.#frame = frame
    host.addController(this)
  }

  /** What the page knows. */
  get payment(): Payment {
    return this.#payment
  }

  /** @throws {TypeError} If the value is no handoff. */
  setHandoff(value: unknown): void {
    const handoff = value === null || value === undefined ? undefined : readHandoff(value)
    // React sets every property at each render.
    const { id, clientSecret } = this.#handoff ?? {}
    if (handoff?.id === id && handoff?.clientSecret === clientSecret) return
    this.#handoff = handoff
    this.#host.requestUpdate()
  }

  again(): void {
    this.#handle({ type: 'again' })
  }

  hostConnected(): void {
    this.#inputs = undefined
    this.#connection = new AbortController()
    const { signal } = this.#connection
    const onWake = (): void => {
      if (!document.hidden && navigator.onLine) this.#handle({ type: 'wake' })
    }
    for (const type of ['online', 'pageshow', 'visibilitychange']) {
      addEventListener(type, onWake, { signal })
    }
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#connection.abort()
    this.#handle({ type: 'removed' })
  }

  hostUpdated(): void {
    const { basePath, orderId, fetchHandoff, fetchStatus, isConnected } = this.#host
    const inputs = [basePath, orderId, fetchHandoff, fetchStatus, this.#handoff]
    if (!isConnected || this.#inputs?.every((input, index) => input === inputs[index])) return
    this.#inputs = inputs
    this.#handle({ type: 'set', source: this.#source })
  }

  /** `undefined` without anything to request a handoff with, and while the page does not know its order. */
  get #source(): Source | undefined {
    const { basePath = null, orderId = null, fetchHandoff = null, fetchStatus } = this.#host
    const handoff = this.#handoff
    if (orderId === '' || (basePath ?? fetchHandoff ?? handoff) == null) return undefined
    // Perhaps a number.
    const id = orderId === null ? undefined : String(orderId)
    const hasRoutes = basePath !== null
    const path = hasRoutes ? readBasePath(basePath) : ''
    const post: FetchHandoff = (request) => postHandoff(`${path}/handoff`, request)
    const get: FetchStatus = (request) => getStatus(`${path}/status`, request)
    return {
      // With an order or a handoff, another function is for the same order.
      key: [basePath, id, handoff, id ?? handoff ?? fetchHandoff],
      orderId: id,
      handoff,
      fetchHandoff: fetchHandoff ?? (hasRoutes ? post : undefined),
      fetchStatus: fetchStatus ?? (hasRoutes ? get : undefined),
      error: path === undefined ? new CheckoutError('invalid_base_path') : undefined,
    }
  }

  #handle(event: PaymentEvent): void {
    const before = this.#payment
    const after = next(before, event)
    if (after === before) return
    this.#payment = after
    this.#host.requestUpdate()
    const { name, handoff, frame, request, delay } = after
    if (frame !== before.frame) {
      if (frame === undefined || !handoff) this.#frame.unmount()
      else {
        const emit = (message: SessionEvent): void => this.#onMessage(frame, message)
        this.#frame.mount({ handoff, shop: () => this.#shop, emit })
      }
    }
    if (request !== before.request) {
      this.#request.abort()
      this.#request = new AbortController()
      if (request) void this.#start(request, this.#request.signal)
    }
    if (name !== before.name || delay !== before.delay) {
      clearTimeout(this.#timer)
      const waits = delay < 2 && (name === 'loading' || name === 'confirming')
      if (waits) this.#timer = setTimeout(() => this.#handle({ type: 'delay' }), silence)
    }
    this.#report(before, after, event)
  }

  /** What the frame says about the shop, below its own result. */
  get #shop(): 'late' | 'failed' | undefined {
    const { name, delay, error } = this.#payment
    if (error) return buttonFor(error, true) === 'reload' ? undefined : 'failed'
    return name === 'confirming' && delay > 0 ? 'late' : undefined
  }

  async #start({ kind, turn }: Request, signal: AbortSignal): Promise<void> {
    const { source, orderId } = this.#payment
    let { handoff } = this.#payment
    try {
      if (kind === 'status') {
        // Each time the function of the last render.
        const ask = async (): Promise<unknown> =>
          await this.#payment.source?.fetchStatus?.({ orderId, signal })
        const onStatus = (report: PaymentStatus): void =>
          this.#handle({ type: 'phase', turn, report })
        await poll(ask, { signal, longestPause, onStatus })
        return
      }
      // The frame has failed.
      if (handoff) await pause(500 + 500 * Math.random(), signal)
      else {
        if (!settings.checkoutOrigin) await waitFor(configuredEvent, silence, signal)
        // After the event, so that the function may change the element.
        signal.throwIfAborted()
        // Before the request, for which the server creates an intent.
        assertPage()
        const { handoff: own, fetchHandoff } = source ?? {}
        const isNext = fetchHandoff && (!own || own === this.#used)
        this.#used = own
        handoff = readHandoff(isNext ? await fetchHandoff({ orderId, signal }) : own)
      }
      this.#handle({ type: 'handoff', turn, handoff })
    } catch (cause) {
      const code = kind === 'status' ? 'status_failed' : 'handoff_failed'
      const error = cause instanceof CheckoutError ? cause : new CheckoutError(code, { cause })
      this.#handle({ type: 'failed', turn, error: withNetwork(error) })
    }
  }

  #onMessage(turn: number, message: SessionEvent): void {
    const { t: type } = message
    if (type === 'leave') this.#dispatch('pi-leave')
    else if (type === 'fail') {
      this.#handle({ type, turn, error: withNetwork(new CheckoutError(message.code)) })
    } else this.#handle({ ...message, type, turn } as PaymentEvent)
  }

  /** Dispatches what has changed, unless a handler has changed it again. */
  #report(before: Payment, after: Payment, { type }: PaymentEvent): void {
    const { name, error, report, intentId = '' } = after
    if (name !== before.name) {
      this.#dispatch('pi-statechange', { state: name, previous: before.name })
      if (this.#payment !== after) return
      if (name === 'ready' && before.name !== 'busy') this.#dispatch('pi-ready')
      if (name === 'finished') this.#dispatch(`pi-${type as 'finish' | 'cancel'}`, { intentId })
    }
    if (error && error !== before.error) {
      // biome-ignore lint/suspicious/noConsole: for the developer of the page
      console.error(error.message)
      this.#dispatch('pi-error', { error })
    }
    if (!report || report === before.report || this.#payment !== after) return
    const key = `${report.orderId} ${intentId} ${report.phase}`
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#dispatch('pi-phase', report)
  }

  #dispatch<T extends PiEventType>(type: T, fields?: PiEventFields[T]): void {
    this.#host.dispatchEvent(new PiEvent(type, fields))
  }
}

/** An error that another try can help is that of the browser if it has no network. */
function withNetwork(error: CheckoutError): CheckoutError {
  return error.retryable && !navigator.onLine ? new CheckoutError('offline', error) : error
}

/** @throws {CheckoutError} If this page cannot show any checkout. */
function assertPage(): void {
  if ((settings.checkoutOrigin ?? location.origin) === location.origin) {
    throw new CheckoutError('not_configured')
  }
  if (!isSecureContext) throw new CheckoutError('insecure_context')
  // An isolated page can show a page that is not isolated only in a credentialless frame.
  if (crossOriginIsolated && !('credentialless' in HTMLIFrameElement.prototype)) {
    throw new CheckoutError('cross_origin_isolated')
  }
}

/**
 * Returns the path before the names of both routes, or `undefined` for a path that could leave the page's origin or folder.
 *
 * @param basePath - Such as `/checkout`. `/` for routes at the root.
 */
export function readBasePath(basePath: string): string | undefined {
  if (basePath === '/') return ''
  return segments.test(basePath) ? basePath : undefined
}

/** Segments without dots alone, and of characters that need no encoding. */
const segments = /^(\/(?!\.+(\/|$))[\w.~-]+)+$/
