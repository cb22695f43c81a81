/**
 * One payment as the page lives it: the session, the confirm, the challenge, the wait and the end.
 *
 * The service alone knows where the payment stands. A request without a response says nothing of it:
 * only a view that was read afterwards does.
 *
 * @module
 */
import type { FromElement } from '@pi-checkout/contract/frame-protocol'
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type {
  CardDetails,
  CheckoutView,
  ConfirmBody,
  OpenSessionBody,
} from '../../shared/checkout-api.ts'
import { Announcer } from './announcer.ts'
import { ChallengeTurn, type Turn } from './challenge-turn.ts'
import { ApiProblem, CheckoutApi, isRefusal } from './checkout-api.ts'
import { ParentLink } from './parent-link.ts'
import { postTicket } from './post-ticket.ts'
import { Retries, sleep } from './retry.ts'
import { isOver, type Screen, screenOf } from './standing.ts'
import type { Texts } from './texts.ts'
import { ViewWatch, type Watcher } from './view-watch.ts'

/** A sentence beside the form: one of our texts, or the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

/** How long the page waits for a pending result, in milliseconds: the shop hears of it anyway. */
const longestSettlement = 12_000
/** How long the response to a request may come after a view that the request has moved. */
const longestOvertaking = 2000
/** How long the top page may take to leave until it counts as kept. */
const longestDeparture = 10_000

export class Payment implements ReactiveController, Watcher {
  /** The tag of the merchant's page, as the element told it. */
  locale = 'en'
  view: CheckoutView | undefined
  readonly challenge: ChallengeTurn

  readonly #host: ReactiveControllerHost & Element
  readonly #id: string
  readonly #api = new CheckoutApi(async () => await this.#renew())
  readonly #watch = new ViewWatch(this.#api, this)
  readonly #retries = new Retries()
  readonly #link: ParentLink
  readonly #announcer: Announcer
  /** Of the page around this one; set as soon as its secret has come. */
  #origin: string | undefined
  #notice: Notice
  /** The latest reads failed. */
  #lost = false
  /** What the buyer asked for, until it is known what came of it. */
  #act: Act | undefined
  /** Version of the view that this window's confirm brought about, until it has led on from there. */
  #confirmed: number | undefined
  /** A confirm of this tab may have brought a challenge about that it does not know of. */
  #mayBeOurs = true
  #departure: object | undefined
  #patient = true
  #canceledHere = false
  #hurriedAt = 0
  /** Who waits for a view that is asked for from now on. */
  #readers: (() => void)[] = []

  constructor(host: ReactiveControllerHost & Element) {
    this.#host = host
    this.#id = decodeURIComponent(location.pathname.split('/').at(-1) ?? '')
    const origins = document.documentElement.dataset.origins?.split(' ') ?? []
    this.#link = new ParentLink(new Set(origins.filter(Boolean)), this.#receive)
    this.#announcer = new Announcer(host, this.#link)
    this.challenge = new ChallengeTurn({
      id: this.#id,
      api: this.#api,
      retries: this.#retries,
      onChange: this.#turned,
    })
    host.addController(this)
  }

  get screen(): Screen {
    const screen = screenOf(this.view, this.#patient)
    if (screen !== 'challenge') return screen
    const at = this.challenge.state?.at
    const offers = at === 'failed' || at === 'elsewhere' || at === 'interrupted'
    return offers ? 'confirm-here' : 'challenge'
  }

  get notice(): Notice {
    return this.#lost && this.#notice !== 'unknown' ? 'connection' : this.#notice
  }

  /** From Pay until an outcome, challenge included. */
  get busy(): boolean {
    const waits: readonly Screen[] = ['challenge', 'confirm-here', 'processing']
    return this.#act !== undefined || this.#departure !== undefined || waits.includes(this.screen)
  }

  hostConnected(): void {
    this.#link.start()
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      this.#departure = undefined
      this.#host.requestUpdate()
      this.#resume()
    })
    window.addEventListener('online', () => this.#resume())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#resume()
    })
  }

  hostUpdated(): void {
    if (!this.view) return
    const end = this.#canceledHere ? 'cancel' : 'finish'
    this.#announcer.tell({ busy: this.busy, end: this.screen === 'result' ? end : undefined })
  }

  /** Confirms with a card. Every try is the same attempt. */
  async pay(card: CardDetails): Promise<void> {
    if (!this.view || this.busy) return
    const { version } = this.view
    const request: ConfirmBody = {
      attemptId: crypto.randomUUID(),
      version,
      paymentMethod: { type: 'card', card },
    }
    await this.#perform({
      send: async (signal) => {
        const view = await this.#api.confirm(request, signal)
        this.#confirmed = view.version
        return view
      },
      onSilence: () => {
        this.#mayBeOurs = this.screen === 'challenge' || this.view?.version === version
      },
      meanwhile: 'unknown',
      afterwards: 'again',
    })
  }

  /** Ends the payment because the buyer asked for it. */
  async cancel(): Promise<void> {
    await this.#perform({
      send: async (signal) => {
        const view = await this.#api.cancel(signal)
        this.#canceledHere = view.status === 'canceled'
        return view
      },
      meanwhile: 'connection',
      afterwards: 'notDone',
    })
  }

  /** Gives the challenge up and shows the card form again. */
  async useAnotherCard(): Promise<void> {
    await this.#perform({
      send: async (signal) => await this.#api.cancelChallenge(signal),
      meanwhile: 'connection',
      afterwards: 'notDone',
    })
  }

  /** Opens the challenge in this window, and ends it in every other. */
  async confirmHere(): Promise<void> {
    if (this.screen === 'confirm-here' && !this.#act) await this.challenge.open()
  }

  /** The issuer's page says that something happened, or that its token is over. Never proof of anything. */
  hearIssuer(message: 'done' | 'over'): void {
    if (message === 'over') this.challenge.offer('interrupted')
    // A hostile issuer page may flood us with messages.
    if (performance.now() - this.#hurriedAt < 250) return
    this.#hurriedAt = performance.now()
    this.#watch.wake()
  }

  /** Moves the top page to an issuer that refuses framing; it comes back to the page around us. */
  async goToBank(): Promise<void> {
    if (this.#departure) return
    const departure = {}
    this.#departure = departure
    this.#say(undefined)
    const notice = await this.#depart()
    // A page that came back from the back/forward cache has been here anew since.
    if (this.#departure !== departure) return
    this.#departure = undefined
    this.#say(this.screen === 'bank' ? notice : this.#notice)
  }

  seen(view: CheckoutView): void {
    this.#lost = false
    this.#adopt(view)
    this.#wasRead()
    this.#host.requestUpdate()
  }

  lost(): void {
    this.#lost = true
    this.#host.requestUpdate()
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
      case 'ping':
        this.#link.tell({ t: 'pong' })
        this.#watch.wake()
    }
  }

  async #open(request: OpenSessionBody): Promise<void> {
    if (this.#origin) return
    this.#origin = request.origin
    try {
      this.#adopt(await this.#retries.send((signal) => this.#api.open(request, signal)))
    } catch (error) {
      this.#link.fail(refusalOf(error))
      return
    }
    await this.#watch.run()
  }

  /** Asks for the secret again, so that nothing that the buyer typed is lost. */
  async #renew(): Promise<void> {
    const auth = await this.#link.ask({ t: 'renew' }, 'auth')
    if (auth?.id !== this.#id || !this.#origin) throw new TypeError('auth: did not come again')
    try {
      const request = { id: auth.id, clientSecret: auth.secret, origin: this.#origin }
      this.#adopt(await this.#api.open(request))
    } catch (error) {
      if (isRefusal(error)) this.#link.fail(refusalOf(error))
      throw error
    }
  }

  /** The network may be back: what waits for it is asked again. */
  #resume(): void {
    this.#retries.resume()
    this.#watch.wake()
  }

  #adopt(view: CheckoutView): void {
    if (this.view && view.version <= this.view.version) return
    this.view = view
    this.#wasRead()
    if (isOver(view)) this.#watch.end()
    this.challenge.end()
    this.#notice = this.screen === 'card' && view.lastPaymentFailure ? 'failure' : undefined
    this.#patient = true
    if (view.status === 'processing') void this.#losePatience(view)
    void this.#overtake(this.#act)
    this.#followChallenge()
    this.#host.requestUpdate()
  }

  #followChallenge(): void {
    if (this.screen === 'bank' && !this.#act && this.view?.version === this.#confirmed) {
      this.#confirmed = undefined
      void this.goToBank()
    }
    if (this.screen !== 'challenge') {
      // A challenge that comes after this view is of a confirm that comes after it.
      this.#mayBeOurs = false
      return
    }
    // The response to a confirm that is on its way says whose challenge it is.
    if (this.challenge.state || this.#act) return
    if (this.view?.version === this.#confirmed) void this.challenge.open()
    else if (this.#mayBeOurs) void this.challenge.openIfFree()
    else this.challenge.offer('elsewhere')
  }

  readonly #turned = (turn: Turn | 'failing'): void => {
    if (turn === 'failing') this.#notice = 'connection'
    else if (turn.at !== 'failed') this.#notice = undefined
    else {
      this.#notice = noticeOf(turn.error) ?? 'bankFailed'
      this.#watch.wake()
    }
    this.#host.requestUpdate()
  }

  async #losePatience({ version }: CheckoutView): Promise<void> {
    await sleep(longestSettlement)
    if (this.view?.version !== version) return
    this.#patient = false
    this.#host.requestUpdate()
  }

  /** Waits no longer for a response that a newer view has made needless. */
  async #overtake(act: Act | undefined): Promise<void> {
    if (!act) return
    await sleep(longestOvertaking)
    if (this.#act !== act) return
    act.isOver = true
    this.#retries.resume()
  }

  /** Sends what the buyer asked for, and shows what came of it; until that is known, the page is busy. */
  async #perform({ send, onSilence, meanwhile, afterwards }: Request): Promise<void> {
    if (this.#act || !this.view) return
    const { screen } = this
    const { version } = this.view
    const act: Act = { isOver: false }
    const hasMoved = (): boolean => this.view?.version !== version
    this.#act = act
    this.#say(undefined)
    try {
      this.#adopt(
        await this.#retries.send(send, {
          onFailure: () => hasMoved() || this.#say(meanwhile),
          isOver: () => act.isOver,
        }),
      )
      if (!hasMoved()) this.#say(undefined)
    } catch (error) {
      if (!isRefusal(error)) onSilence?.()
      if (!act.isOver) await this.#read()
      const notice = noticeOf(error)
      if (this.screen === screen && (notice || !hasMoved())) this.#say(notice ?? afterwards)
    } finally {
      this.#act = undefined
      this.#followChallenge()
      this.#host.requestUpdate()
    }
  }

  /** Reads the view; resolves with one that was asked for after this call. */
  async #read(): Promise<void> {
    if (!this.view || isOver(this.view)) return
    await new Promise<void>((resolve) => {
      this.#readers.push(resolve)
      this.#watch.wake()
    })
  }

  #wasRead(): void {
    for (const resolve of this.#readers.splice(0)) resolve()
  }

  /** @returns Why this page is still here. */
  async #depart(): Promise<Notice> {
    const left = await this.#link.ask({ t: 'leave' }, 'left')
    if (!left) return 'toBankFailed'
    try {
      const body = { returnUrl: left.page }
      const ticket = await this.#retries.send((signal) => this.#api.openChallenge(body, signal), {
        onFailure: () => this.#say('connection'),
        isOver: () => this.screen !== 'bank',
      })
      if (this.screen !== 'bank') return undefined
      this.#say(undefined)
      postTicket(ticket, { target: '_top', locale: this.locale })
      await sleep(longestDeparture)
      return 'toBankFailed'
    } catch (error) {
      if (isRefusedReturn(error)) return 'returnRefused'
      await this.#read()
      return noticeOf(error) ?? 'bankFailed'
    }
  }

  #say(notice: Notice): void {
    this.#notice = notice
    this.#host.requestUpdate()
  }
}

/** Something that the buyer asked for. */
interface Act {
  /** A newer view has said what came of it. */
  isOver: boolean
}

interface Request {
  readonly send: (signal: AbortSignal) => Promise<CheckoutView>
  /** Called when no response came at all. */
  readonly onSilence?: () => void
  /** Shown from the first failed try on. */
  readonly meanwhile: Notice
  /** Shown when a view has shown that nothing came of it. */
  readonly afterwards: Notice
}

const refusals: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ['card_not_accepted', 'numberNotTest'],
  ['rate_limited', 'tooMany'],
  ['version_conflict', 'moved'],
  ['attempt_in_progress', 'moved'],
])

function noticeOf(error: unknown): Notice {
  if (!isRefusal(error)) return undefined
  if (error.pointers.includes('/paymentMethod/card/expYear')) return 'expiryPast'
  return refusals.get(error.code)
}

function refusalOf(error: unknown): string {
  if (!isRefusal(error)) return 'internal'
  if (error.code === 'origin_not_allowed') return 'origin_not_allowed'
  return error.status === 404 ? 'unauthorized' : 'internal'
}

function isRefusedReturn(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  return error.code === 'origin_not_allowed' || error.code === 'validation_failed'
}
