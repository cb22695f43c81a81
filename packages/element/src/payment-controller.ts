/** The effects of the payment's states: requests, timers, the frame, and events. @module */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { burstOf } from './burst.ts'
import { readBasePath } from './client/base-path.ts'
import { getStatus, type PaymentPhase, readStatus } from './client/fetch-status.ts'
import { ignoreTransient, pause } from './client/follow-payment.ts'
import { postHandoff } from './client/post-handoff.ts'
import { configuredEvent, settings } from './configure-checkout.ts'
import { CheckoutError, type CheckoutErrorCode, helpFor } from './errors.ts'
import { type CheckoutState, PiEvent, type PiEventFields, type PiEventType } from './events.ts'
import type { FrameController } from './frame-controller.ts'
import type { SessionEvent } from './frame-session.ts'
import { type FetchHandoff, type FetchStatus, type OrderHandoff, readHandoff } from './handoff.ts'
import { next, noPayment, type Payment, type PaymentEvent, type Source } from './payment-state.ts'

/** What the page sets on the element. */
interface Inputs {
  readonly basePath: string | null
  readonly orderId: string | null
  readonly fetchHandoff: FetchHandoff | null
  readonly fetchStatus: FetchStatus | null
  readonly handoff: OrderHandoff | undefined
}

type Host = ReactiveControllerHost & Element & Omit<Inputs, 'handoff'>
type Change = Extract<PaymentEvent, { type: 'set' }>['change']

/** In milliseconds: how long a wait has no text, and for how long an element waits to be configured. */
const silence = 4000

/** Longest pause between two requests for the status, in milliseconds. */
const longestPause = { confirming: 5000, processing: 30_000 }

export class PaymentController implements ReactiveController {
  readonly #host: Host
  readonly #frame: FrameController
  #payment = noPayment
  /** The handoff that the page has set. */
  #handoff: OrderHandoff | undefined
  /** The one of them that was mounted: then a function has to return the next one. */
  #used: OrderHandoff | undefined
  /** What the page had set at the last update. */
  #inputs: Inputs | undefined
  #isNew = true
  #connection = new AbortController()
  #request = new AbortController()
  #check = new AbortController()
  #timers: ReturnType<typeof setTimeout>[] = []
  /** Phases that were reported, with their intents. */
  readonly #reported = new Set<string>()
  /** Id of the intent whose end was reported since the form was usable. */
  #endReported: string | undefined
  /** Whether the page sets another function again and again. */
  readonly #isLoop = burstOf({ limit: 5, window: 10_000 })

  constructor(host: Host, frame: FrameController) {
    this.#host = host
    this.#frame = frame
    host.addController(this)
  }

  get state(): CheckoutState {
    return this.#payment.name
  }

  get error(): CheckoutError | null {
    return (this.state === 'error' && this.#payment.error) || null
  }

  get phase(): PaymentPhase | null {
    return this.#payment.report?.phase ?? null
  }

  get reason(): string | undefined {
    return this.#payment.report?.reason
  }

  /** How long the page has been waiting: 1 after four seconds, 2 after eight. */
  get delay(): 0 | 1 | 2 {
    return this.#payment.delay
  }

  /** @throws {TypeError} If the value is no handoff. */
  setHandoff(value: unknown): void {
    this.#handoff = value === null || value === undefined ? undefined : readHandoff(value)
    this.#host.requestUpdate()
  }

  again(): void {
    this.#handle({ type: 'again' })
  }

  hostConnected(): void {
    this.#isNew = true
    this.#connection = new AbortController()
    const { signal } = this.#connection
    const onVisible = (): void => {
      if (!document.hidden) this.#handle({ type: 'visible' })
    }
    addEventListener('online', () => this.#handle({ type: 'online' }), { signal })
    addEventListener('pageshow', onVisible, { signal })
    document.addEventListener('visibilitychange', onVisible, { signal })
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#connection.abort()
    this.#handle({ type: 'removed' })
  }

  hostUpdated(): void {
    if (!this.#host.isConnected) return
    const before = this.#inputs
    const inputs = this.#readInputs()
    this.#inputs = inputs
    const change = this.#changeOf(before, inputs)
    const isNew = this.#isNew
    this.#isNew = false
    if (change) this.#handle({ type: 'set', source: sourceOf(inputs), change })
    if (isNew && (!change || change === 'same')) this.again()
  }

  /** Frameworks set `undefined` for what is missing. */
  #readInputs(): Inputs {
    const { basePath, orderId, fetchHandoff, fetchStatus } = this.#host
    return {
      basePath: basePath ?? null,
      // Perhaps a number.
      orderId: orderId == null ? null : String(orderId),
      fetchHandoff: fetchHandoff ?? null,
      fetchStatus: fetchStatus ?? null,
      handoff: this.#handoff,
    }
  }

  #changeOf(before: Inputs | undefined, now: Inputs): Change | undefined {
    if (!hasSource(now)) return hasSource(before) ? 'end' : undefined
    if (!before || !hasSource(before)) return 'another'
    const { orderId, basePath, fetchHandoff, fetchStatus, handoff } = now
    if (orderId !== before.orderId || basePath !== before.basePath) return 'another'
    if (!isEqual(handoff, before.handoff) && !isEqual(handoff, this.#payment.handoff))
      return 'another'
    const isOtherFunction = fetchHandoff !== before.fetchHandoff
    // With an order's id, another function is for the same order.
    if (isOtherFunction && orderId === null && !handoff && fetchHandoff && before.fetchHandoff) {
      return this.#isLoop() ? 'same' : 'maybe'
    }
    return isOtherFunction || fetchStatus !== before.fetchStatus ? 'same' : undefined
  }

  #handle(event: PaymentEvent): void {
    const before = this.#payment
    const after = next(before, event)
    if (after === before) return
    this.#payment = after
    this.#host.requestUpdate()
    const { handoff, frame, request, check, wait } = after
    if (frame !== before.frame) {
      if (frame === undefined || !handoff) this.#frame.unmount()
      else this.#frame.mount(handoff, (message) => this.#onMessage(frame, message))
    }
    if (request !== before.request) {
      this.#request.abort()
      this.#request = new AbortController()
      if (request) void this.#start(request, this.#request.signal)
    }
    if (check !== before.check) {
      this.#check.abort()
      this.#check = new AbortController()
      if (check) void this.#requestHandoff(check, this.#check.signal)
    }
    if (wait !== before.wait) {
      for (const timer of this.#timers) clearTimeout(timer)
      const onDelay = (): void => this.#handle({ type: 'delay', turn: wait ?? 0 })
      this.#timers = wait ? [silence, 2 * silence].map((time) => setTimeout(onDelay, time)) : []
    }
    this.#report(before, after)
  }

  #start({ kind, turn }: NonNullable<Payment['request']>, signal: AbortSignal): Promise<void> {
    if (kind === 'handoff') return this.#requestHandoff(turn, signal)
    if (kind === 'status') return this.#follow(turn, signal)
    const time = 500 + 500 * Math.random()
    return waitFor(time, signal).then(() => this.#handle({ type: 'retry', turn }))
  }

  async #requestHandoff(turn: number, signal: AbortSignal): Promise<void> {
    try {
      // After this event, so that the function may change the element.
      await (settings.checkoutOrigin ? undefined : waitFor(silence, signal, configuredEvent))
      if (signal.aborted) return
      // Before the request, for which the server creates an intent.
      assertPage()
      const { orderId, source } = this.#payment
      const isUsed = this.#handoff === this.#used && source?.requests
      this.#used = isUsed ? undefined : this.#handoff
      const handoff = this.#used ?? readHandoff(await this.#fetchHandoff({ orderId, signal }))
      if (!paymentIntentIdPattern.test(handoff.id)) throw new CheckoutError('invalid_values')
      this.#handle({ type: 'handoff', turn, handoff, orderId: handoff.orderId })
    } catch (cause) {
      const { code, orderId } = Object(cause) as {
        readonly [field in 'code' | 'orderId']?: unknown
      }
      const known = cause instanceof CheckoutError ? cause : undefined
      const error = known ?? failureOf('handoff_failed', { cause })
      if (paymentCodes.has(code)) {
        const named = typeof orderId === 'string' ? orderId : undefined
        this.#handle({ type: 'refused', turn, error, orderId: named })
      } else this.#handle({ type: 'failed', turn, error })
    }
  }

  /** Asks for the status until it is final, less and less often, and not while the page is hidden. */
  async #follow(turn: number, signal: AbortSignal): Promise<void> {
    try {
      if (document.hidden) await pause(0, signal)
      for (let delay = 500; ; delay *= 1.5) {
        const { orderId } = this.#payment
        const report = await this.#fetchStatus({ orderId, signal })
          .then(readStatus)
          .catch(ignoreTransient)
        if (signal.aborted) return
        if (report) this.#handle({ type: 'phase', turn, report })
        if (signal.aborted) return
        const { name } = this.#payment
        await pause(
          Math.min(delay, longestPause[name === 'processing' ? name : 'confirming']),
          signal,
        )
      }
    } catch (cause) {
      if (signal.aborted) return
      this.#handle({ type: 'failed', turn, error: new CheckoutError('status_failed', { cause }) })
    }
  }

  async #fetchHandoff(request: Parameters<FetchHandoff>[0]): Promise<OrderHandoff> {
    const { fetchHandoff } = this.#host
    return fetchHandoff
      ? await fetchHandoff(request)
      : await postHandoff(`${this.#path}/handoff`, request)
  }

  async #fetchStatus(request: Parameters<FetchStatus>[0]): ReturnType<FetchStatus> {
    const { fetchStatus } = this.#host
    return fetchStatus
      ? await fetchStatus(request)
      : await getStatus(`${this.#path}/status`, request)
  }

  get #path(): string {
    return readBasePath(this.#host.basePath ?? '') ?? ''
  }

  #onMessage(turn: number, message: SessionEvent): void {
    if (message.t === 'leave') this.#dispatch('pi-leave')
    else if (message.t === 'fail') {
      const error = failureOf(message.code, { isTest: message.test })
      this.#handle({ type: 'fail', turn, error })
    } else if (message.t === 'busy') this.#handle({ type: 'busy', turn, on: message.on })
    else this.#handle({ type: message.t, turn })
  }

  /** Dispatches what has changed, unless a handler has changed it again. */
  #report(before: Payment, after: Payment): void {
    const { name, error, report, intentId } = after
    if (name === 'ready') this.#endReported = undefined
    if (name !== before.name) {
      this.#dispatch('pi-statechange', { state: name, previous: before.name })
      if (this.#payment !== after) return
      if (name === 'ready' && before.name !== 'busy') this.#dispatch('pi-ready')
      if (name === 'finished' && after.end && intentId && this.#endReported !== intentId) {
        this.#endReported = intentId
        this.#dispatch(`pi-${after.end}`, { intentId })
      }
    }
    if (name === 'error' && error && error !== before.error) {
      // biome-ignore lint/suspicious/noConsole: for the developer of the page
      if (error.isTest || location.protocol === 'http:') console.error(helpFor(error))
      this.#dispatch('pi-error', { error })
    }
    if (!report || report === before.report || this.#payment !== after) return
    const { orderId, phase } = report
    const key = JSON.stringify([orderId, intentId, phase])
    if (this.#reported.has(key)) return
    this.#reported.add(key)
    this.#dispatch('pi-phase', report)
  }

  #dispatch<T extends PiEventType>(type: T, fields?: PiEventFields[T]): void {
    this.#host.dispatchEvent(new PiEvent(type, fields))
  }
}

/** The status tells more than these errors of the handoff. */
const paymentCodes: ReadonlySet<unknown> = new Set<HandoffProblemCode>([
  'order_already_paid',
  'payment_in_progress',
  'payment_under_review',
])

function hasSource(inputs: Inputs | undefined): boolean {
  return inputs !== undefined && (inputs.basePath ?? inputs.fetchHandoff ?? inputs.handoff) != null
}

/** Returns `undefined` while the page does not know its order. */
function sourceOf(inputs: Inputs): Source | undefined {
  const { basePath, orderId, fetchHandoff, fetchStatus, handoff } = inputs
  if (orderId === '' || !hasSource(inputs)) return undefined
  const hasRoutes = basePath !== null
  return {
    orderId: orderId ?? undefined,
    requests: hasRoutes || fetchHandoff !== null,
    follows: hasRoutes || fetchStatus !== null,
    hasHandoff: handoff !== undefined,
    error:
      hasRoutes && readBasePath(basePath) === undefined
        ? new CheckoutError('invalid_base_path')
        : undefined,
  }
}

function isEqual(one: OrderHandoff | undefined, other: OrderHandoff | undefined): boolean {
  return one?.id === other?.id && one?.clientSecret === other?.clientSecret
}

/** An error that another try can help is that of the browser if it has no network. */
function failureOf(
  code: CheckoutErrorCode,
  options: ConstructorParameters<typeof CheckoutError>[1],
): CheckoutError {
  const error = new CheckoutError(code, options)
  return error.retryable && !navigator.onLine ? new CheckoutError('offline', options) : error
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

/** Waits for some milliseconds, for an event of the window, or until the signal aborts. */
function waitFor(time: number, signal: AbortSignal, event?: string): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, time)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    if (event) addEventListener(event, resolve, { signal })
  })
}
