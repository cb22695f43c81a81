/**
 * One payment as the page lives it: the session, the confirm, the challenge, the wait and the end.
 *
 * The service alone knows where the payment stands. Whatever happens here ends in reading its view.
 *
 * @module
 */
import type { FromElement } from '@pi-checkout/contract/frame-protocol'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ChallengeTicket, DisplayView } from '../../src/checkout/display-view.ts'
import type { CardForm } from './card-form.ts'
import { ApiProblem, type CardDetails, CheckoutApi, type ConfirmRequest } from './checkout-api.ts'
import { ParentLink } from './parent-link.ts'
import type { Texts } from './texts.ts'

/** What the page shows. */
export type Screen = 'opening' | 'card' | 'challenge' | 'bank' | 'processing' | 'result'

/** How the result heading names the end. */
export type Result = 'paid' | 'failed' | 'processing' | 'canceled' | 'expired'

/** A sentence beside the form: one of our texts, or the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

export class Payment implements ReactiveController {
  /** The tag of the merchant's page, as the element told it. */
  locale = 'en'
  view: DisplayView | undefined
  notice: Notice
  ticket: ChallengeTicket | undefined

  readonly #host: ReactiveControllerHost & Element
  readonly #id: string
  readonly #api = new CheckoutApi()
  readonly #link: ParentLink
  readonly #returned = new EventTarget()
  #confirming = false
  #leaving = false
  #canceledHere = false
  /** The page has waited long enough for a pending result. */
  #patienceOver = false
  #announced = { busy: false, ready: false, over: false }
  #waiting = new AbortController()
  #wokenAt = 0

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host
    host.addController(this)
    this.#id = decodeURIComponent(location.pathname.split('/').at(-1) ?? '')
    const origins = document.documentElement.dataset.origins?.split(' ') ?? []
    this.#link = new ParentLink(new Set(origins.filter(Boolean)), this.#receive)
  }

  get screen(): Screen {
    const { view } = this
    if (!view) return 'opening'
    if (view.status === 'requires_payment_method') return 'card'
    if (view.status === 'requires_action') {
      return view.nextAction?.type === 'redirect' ? 'bank' : 'challenge'
    }
    return view.status === 'processing' && !this.#patienceOver ? 'processing' : 'result'
  }

  get result(): Result {
    switch (this.view?.status) {
      case 'succeeded':
        return 'paid'
      case 'processing':
        return 'processing'
      case 'canceled':
        return 'canceled'
      case 'expired':
        return 'expired'
      default:
        return 'failed'
    }
  }

  /** From Pay until an outcome, challenge included. */
  get busy(): boolean {
    return (
      this.#confirming ||
      this.#leaving ||
      this.screen === 'challenge' ||
      this.screen === 'processing'
    )
  }

  hostConnected(): void {
    this.#link.start()
    new ResizeObserver(() => this.#tellSize()).observe(this.#host)
    window.addEventListener('pageshow', ({ persisted }) => {
      if (persisted) this.#leaving = false
    })
  }

  hostUpdated(): void {
    if (!this.view) return
    if (!this.#announced.ready) {
      void this.#announceReady()
      return
    }
    if (this.busy !== this.#announced.busy) {
      this.#announced.busy = this.busy
      this.#link.tell({ t: 'busy', on: this.busy })
    }
    if (this.screen === 'result' && !this.#announced.over) {
      this.#announced.over = true
      this.#link.tell({ t: this.#canceledHere ? 'cancel' : 'finish' })
    }
  }

  /** The first view stands once the elements inside have rendered too: no half a form, no jump. */
  async #announceReady(): Promise<void> {
    await this.#host.updateComplete
    await this.#host.querySelector<CardForm>('card-form')?.updateComplete
    if (this.#announced.ready) return
    this.#announced.ready = true
    this.#tellSize()
    this.#link.tell({ t: 'ready' })
    this.#host.requestUpdate()
  }

  /** Confirms with a card. A lost answer is asked for again as the same attempt. */
  async pay(card: CardDetails): Promise<void> {
    if (!this.view || this.busy) return
    this.#confirming = true
    this.#say(undefined)
    const request: ConfirmRequest = {
      attemptId: crypto.randomUUID(),
      version: this.view.version,
      paymentMethod: { type: 'card', card },
    }
    try {
      this.#adopt(await retried(() => this.#api.confirm(request)))
    } catch (error) {
      await this.#explain(error)
    } finally {
      this.#confirming = false
      this.#host.requestUpdate()
    }
    if (this.screen === 'bank') await this.goToBank()
  }

  /** Ends the payment because the buyer asked for it. */
  async cancel(): Promise<void> {
    await this.#act(async () => {
      const view = await retried(() => this.#api.cancel())
      this.#canceledHere = view.status === 'canceled'
      return view
    })
  }

  /** Gives the challenge up and shows the card form again. */
  async useAnotherCard(): Promise<void> {
    await this.#act(() => retried(() => this.#api.cancelChallenge()))
  }

  /** Moves the top page to an issuer that refuses framing; it comes back to the page around us. */
  async goToBank(): Promise<void> {
    if (this.#leaving) return
    this.#leaving = true
    this.#say(undefined)
    try {
      const returnUrl = await this.#askToLeave()
      if (!returnUrl) throw new Error('the page around the frame did not answer')
      const ticket = await retried(() => this.#api.openChallenge({ returnUrl }))
      postTicket(ticket, { target: '_top', locale: this.locale })
    } catch (error) {
      this.#leaving = false
      if (!(error instanceof ApiProblem)) this.#say('toBankFailed')
      else if (isRefusedReturn(error)) this.#say('returnRefused')
      else await this.#explain(error)
    }
  }

  /** Shows a sentence beside the form. */
  say(notice: Notice): void {
    this.#say(notice)
  }

  /** Reads the view again now: something may have happened. */
  wake(): void {
    // A hostile issuer page may flood us with messages.
    if (!this.view || performance.now() - this.#wokenAt < 250) return
    this.#wokenAt = performance.now()
    this.#waiting.abort()
  }

  readonly #receive = (message: FromElement, origin: string): void => {
    switch (message.t) {
      case 'config':
        this.locale = message.locale
        this.#host.requestUpdate()
        return
      case 'auth':
        if (message.id !== this.#id) this.#link.fail('unauthorized')
        else void this.#open({ id: message.id, clientSecret: message.secret, origin })
        return
      case 'left':
        this.#returned.dispatchEvent(new CustomEvent('left', { detail: message.page }))
        return
      case 'ping':
        this.#link.tell({ t: 'pong' })
        this.wake()
    }
  }

  async #open(pair: Parameters<CheckoutApi['open']>[0]): Promise<void> {
    if (this.view) return
    try {
      this.#adopt(await retried(() => this.#api.open(pair)))
    } catch (error) {
      this.#link.fail(refusalOf(error))
      return
    }
    await this.#watch()
  }

  /** Keeps the view fresh until nothing more can happen: another window may pay, a bank may answer. */
  async #watch(): Promise<void> {
    let failures = 0
    while (this.view && !isOver(this.view)) {
      const woken = this.#waiting.signal.aborted
      if (woken) this.#waiting = new AbortController()
      try {
        const next = woken ? undefined : this.view.version + 1
        const view = await this.#api.intent(next, this.#waiting.signal)
        if (failures > 0 && this.notice === 'connection') this.#say(undefined)
        failures = 0
        this.#adopt(view)
      } catch (error) {
        if (this.#waiting.signal.aborted) continue
        if (error instanceof ApiProblem && error.status < 500 && error.status !== 429) {
          this.#renewSession()
          return
        }
        failures++
        if (failures > 1 && !this.#confirming) this.#say('connection')
        await sleep(Math.min(8000, 500 * 2 ** failures))
      }
    }
  }

  #adopt(view: DisplayView): void {
    const before = this.view
    if (before && view.version <= before.version) return
    this.view = view
    this.notice = this.screen === 'card' && view.lastPaymentFailure ? 'failure' : undefined
    if (this.screen === 'challenge') void this.#openChallenge()
    else this.ticket = undefined
    if (view.status === 'processing') void this.#losePatience()
    this.#host.requestUpdate()
  }

  async #openChallenge(): Promise<void> {
    try {
      this.ticket = await retried(() => this.#api.openChallenge({}))
      this.#host.requestUpdate()
    } catch (error) {
      await this.#explain(error)
    }
  }

  /** A result that takes longer than this need not keep the buyer: the shop hears of it. */
  async #losePatience(): Promise<void> {
    await sleep(patience)
    if (this.view?.status !== 'processing') return
    this.#patienceOver = true
    this.#host.requestUpdate()
  }

  async #act(action: () => Promise<DisplayView>): Promise<void> {
    if (this.#confirming) return
    this.#confirming = true
    this.#host.requestUpdate()
    try {
      this.#adopt(await action())
    } catch (error) {
      await this.#explain(error)
    } finally {
      this.#confirming = false
      this.#host.requestUpdate()
    }
  }

  /** Says what a refused request means, and reads where the payment really stands. */
  async #explain(error: unknown): Promise<void> {
    if (!(error instanceof ApiProblem)) {
      this.#say('connection')
      this.wake()
      return
    }
    switch (error.code) {
      case 'invalid_session':
        this.#renewSession()
        return
      case 'card_not_accepted':
        this.#say('numberNotTest')
        return
      case 'rate_limited':
        this.#say('tooMany')
        return
      default:
        await this.#api.intent().then(
          (view) => this.#adopt(view),
          () => this.wake(),
        )
        if (this.screen === 'card') this.#say(conflicts.get(error.code) ?? 'trouble')
    }
  }

  /** A new document shakes hands again and receives the secret again; the state is the service's. */
  #renewSession(): void {
    location.reload()
  }

  async #askToLeave(): Promise<string | undefined> {
    const { promise, resolve } = deferred<string | undefined>()
    const listener = (event: Event): void => {
      if (event instanceof CustomEvent) resolve(event.detail)
    }
    this.#returned.addEventListener('left', listener, { once: true })
    this.#link.tell({ t: 'leave' })
    const timer = setTimeout(() => resolve(undefined), 1000)
    const page = await promise
    clearTimeout(timer)
    this.#returned.removeEventListener('left', listener)
    return page
  }

  #say(notice: Notice): void {
    this.notice = notice
    this.#host.requestUpdate()
  }

  #tellSize(): void {
    const { height } = this.#host.getBoundingClientRect()
    if (height > 0 && this.#announced.ready) this.#link.tell({ t: 'size', h: Math.ceil(height) })
  }
}

/** Posts a one-time token to the issuer: in a form's body, because addresses are kept and logged. */
export function postTicket(
  { url, token }: ChallengeTicket,
  { target, locale }: { readonly target: string; readonly locale: string },
): void {
  const form = document.createElement('form')
  Object.assign(form, { method: 'post', action: url, target, hidden: true })
  for (const [name, value] of Object.entries({ token, locale })) {
    const input = document.createElement('input')
    form.append(Object.assign(input, { type: 'hidden', name, value }))
  }
  document.body.append(form)
  form.submit()
  form.remove()
}

const patience = 12_000

const conflicts: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ['version_conflict', 'moved'],
  ['attempt_in_progress', 'busyElsewhere'],
])

/** Asks again when no answer came, or when the service itself failed. */
async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (const wait of [400, 1200, 3000]) {
    try {
      return await request()
    } catch (error) {
      if (error instanceof ApiProblem && error.status < 500) throw error
      await sleep(wait)
    }
  }
  return request()
}

function refusalOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'internal'
  if (error.code === 'origin_not_allowed') return 'origin_not_allowed'
  return error.status === 404 ? 'unauthorized' : 'internal'
}

function isRefusedReturn({ code }: ApiProblem): boolean {
  return code === 'origin_not_allowed' || code === 'validation_failed'
}

function isOver({ status }: DisplayView): boolean {
  return (
    status === 'succeeded' || status === 'failed' || status === 'canceled' || status === 'expired'
  )
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
