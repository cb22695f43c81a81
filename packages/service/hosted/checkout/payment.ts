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
import { Announcer } from './announcer.ts'
import { ApiProblem, type CardDetails, CheckoutApi, type ConfirmRequest } from './checkout-api.ts'
import { ParentLink } from './parent-link.ts'
import { postTicket } from './post-ticket.ts'
import { retried, sleep } from './retry.ts'
import { isOver, type Screen, screenOf } from './standing.ts'
import type { Texts } from './texts.ts'
import { ViewWatch, type Watcher } from './view-watch.ts'

/** A sentence beside the form: one of our texts, or the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

/** How long the page waits for a pending result, in milliseconds: the shop hears of it anyway. */
const patience = 12_000

export class Payment implements ReactiveController, Watcher {
  /** The tag of the merchant's page, as the element told it. */
  locale = 'en'
  view: DisplayView | undefined
  notice: Notice
  ticket: ChallengeTicket | undefined

  readonly #host: ReactiveControllerHost & Element
  readonly #id: string
  readonly #api = new CheckoutApi()
  readonly #watch = new ViewWatch(this.#api, this)
  readonly #link: ParentLink
  readonly #announcer: Announcer
  #confirming = false
  /** The version whose challenge is being opened. */
  #opening: number | undefined
  #leaving = false
  #patient = true
  #canceledHere = false
  #onLeft: (page: string) => void = () => {}

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host
    this.#id = decodeURIComponent(location.pathname.split('/').at(-1) ?? '')
    const origins = document.documentElement.dataset.origins?.split(' ') ?? []
    this.#link = new ParentLink(new Set(origins.filter(Boolean)), this.#receive)
    this.#announcer = new Announcer(host, this.#link)
    host.addController(this)
  }

  get screen(): Screen {
    return screenOf(this.view, this.#patient)
  }

  /** From Pay until an outcome, challenge included. */
  get busy(): boolean {
    const { screen } = this
    return this.#confirming || this.#leaving || screen === 'challenge' || screen === 'processing'
  }

  hostConnected(): void {
    this.#link.start()
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      this.#leaving = false
      this.#host.requestUpdate()
    })
  }

  hostUpdated(): void {
    if (!this.view) return
    const end = this.#canceledHere ? 'cancel' : 'finish'
    this.#announcer.tell({ busy: this.busy, end: this.screen === 'result' ? end : undefined })
  }

  /** Confirms with a card. A lost answer is asked for again as the same attempt. */
  async pay(card: CardDetails): Promise<void> {
    if (!this.view || this.busy) return
    this.#say(undefined)
    const request: ConfirmRequest = {
      attemptId: crypto.randomUUID(),
      version: this.view.version,
      paymentMethod: { type: 'card', card },
    }
    await this.#act(() => this.#api.confirm(request))
    if (this.screen === 'bank') await this.goToBank()
  }

  /** Ends the payment because the buyer asked for it. */
  async cancel(): Promise<void> {
    await this.#act(async () => {
      const view = await this.#api.cancel()
      this.#canceledHere = view.status === 'canceled'
      return view
    })
  }

  /** Gives the challenge up and shows the card form again. */
  async useAnotherCard(): Promise<void> {
    await this.#act(() => this.#api.cancelChallenge())
  }

  /** Moves the top page to an issuer that refuses framing; it comes back to the page around us. */
  async goToBank(): Promise<void> {
    if (this.#leaving) return
    this.#leaving = true
    this.#say(undefined)
    try {
      const returnUrl = await this.#askToLeave()
      if (returnUrl === undefined) return this.#stay('toBankFailed')
      const ticket = await retried(() => this.#api.openChallenge({ returnUrl }))
      postTicket(ticket, { target: '_top', locale: this.locale })
    } catch (error) {
      if (isRefusedReturn(error)) return this.#stay('returnRefused')
      this.#stay(undefined)
      await this.#explain(error)
    }
  }

  /** Reads the view again now: something may have happened. */
  wake(): void {
    if (this.view) this.#watch.wake()
  }

  seen(view: DisplayView): void {
    if (this.notice === 'connection') this.#say(undefined)
    this.#adopt(view)
    if (this.screen === 'challenge' && !this.ticket) void this.#openChallenge()
  }

  lost(): void {
    if (!this.#confirming) this.#say('connection')
  }

  /** A new document shakes hands again and receives the secret again; the state is the service's. */
  ended(): void {
    location.reload()
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
        this.#onLeft(message.page)
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
    await this.#watch.run()
  }

  #adopt(view: DisplayView): void {
    if (this.view && view.version <= this.view.version) return
    this.view = view
    if (isOver(view)) this.#watch.end()
    this.ticket = undefined
    this.notice = this.screen === 'card' && view.lastPaymentFailure ? 'failure' : undefined
    if (this.screen === 'challenge') void this.#openChallenge()
    this.#patient = true
    if (view.status === 'processing') void this.#losePatience(view)
    this.#host.requestUpdate()
  }

  /** One ticket at a time: a second one ends the first, perhaps before its page has opened. */
  async #openChallenge(): Promise<void> {
    const version = this.view?.version
    if (this.#opening === version) return
    this.#opening = version
    try {
      const ticket = await retried(() => this.#api.openChallenge({}))
      if (this.#opening !== version) return
      this.ticket = ticket
      this.#host.requestUpdate()
    } catch (error) {
      await this.#explain(error)
    } finally {
      if (this.#opening === version) this.#opening = undefined
    }
  }

  async #losePatience({ version }: DisplayView): Promise<void> {
    await sleep(patience)
    if (this.view?.version !== version) return
    this.#patient = false
    this.#host.requestUpdate()
  }

  async #act(request: () => Promise<DisplayView>): Promise<void> {
    if (this.#confirming) return
    this.#confirming = true
    this.#host.requestUpdate()
    try {
      this.#adopt(await retried(request))
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
    if (error.code === 'invalid_session') return this.ended()
    await this.#api.intent().then(
      (view) => this.#adopt(view),
      () => this.wake(),
    )
    if (this.screen === 'card') this.#say(refusals.get(error.code) ?? 'trouble')
  }

  async #askToLeave(): Promise<string | undefined> {
    const left = new Promise<string>((resolve) => {
      this.#onLeft = resolve
    })
    this.#link.tell({ t: 'leave' })
    return await Promise.race([left, sleep(1000).then(() => undefined)])
  }

  #stay(notice: Notice): void {
    this.#leaving = false
    this.#say(notice)
  }

  #say(notice: Notice): void {
    this.notice = notice
    this.#host.requestUpdate()
  }
}

const refusals: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ['card_not_accepted', 'numberNotTest'],
  ['rate_limited', 'tooMany'],
  ['version_conflict', 'moved'],
  ['attempt_in_progress', 'busyElsewhere'],
])

function refusalOf(error: unknown): string {
  if (!(error instanceof ApiProblem)) return 'internal'
  if (error.code === 'origin_not_allowed') return 'origin_not_allowed'
  return error.status === 404 ? 'unauthorized' : 'internal'
}

function isRefusedReturn(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  return error.code === 'origin_not_allowed' || error.code === 'validation_failed'
}
