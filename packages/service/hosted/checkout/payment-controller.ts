/**
 * One payment on the page: confirmation, challenge, waiting, and result.
 *
 * Only a view shows the state of the payment. After a request without a response, a new view must be read.
 *
 * @module
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { CardDetails, CheckoutView, ConfirmBody } from '../../shared/checkout-api.ts'
import { ChallengeTurn, type ChallengeTurnOptions } from './challenge-turn.ts'
import { ApiProblem, isRejection } from './checkout-client.ts'
import { helpFor } from './help.ts'
import type { PageSession, SessionObserver } from './page-session.ts'
import { sleep } from './retry.ts'
import { isFinal, type Screen, screenOf } from './screen.ts'
import { StatusReporter } from './status-reporter.ts'
import { submitChallenge } from './submit-challenge.ts'
import type { Texts } from './texts.ts'
import { type ViewHolder, ViewPoller } from './view-poller.ts'

/** Key of the text next to the form, or `failure` for the latest failure of the view. */
export type Notice = keyof Texts | 'failure' | undefined

/** Milliseconds for which the page waits for a pending result. The shop gets the result later too. */
const resultTimeout = 12_000
/** Milliseconds for which an action waits for its response after a newer view has arrived. */
const responseTimeout = 2000
/** Milliseconds after which a top page that did not navigate is taken to stay. */
const navigationTimeout = 10_000

export class PaymentController implements ReactiveController, ViewHolder, SessionObserver {
  view: CheckoutView | undefined
  readonly challenge: ChallengeTurn

  readonly #host: ReactiveControllerHost & Element
  readonly #session: PageSession
  readonly #poller: ViewPoller
  readonly #reporter: StatusReporter
  #notice: Notice
  /** Why the notice is shown, if a request has failed. */
  #error: unknown
  /** The latest reads failed. */
  #disconnected = false
  /** The buyer's action, until its result is known. */
  #action: Action | undefined
  /** Version of the view that this window's confirmation produced, until the next step has started. */
  #confirmed: number | undefined
  /** A confirmation of this tab may have opened a challenge before this document was loaded. */
  #challengeMayBeOurs = true
  #navigation: object | undefined
  #waiting = true
  /** The buyer cancels, or has canceled, in this window. */
  #cancels = false
  #issuerMessageAt = 0
  /** Called when a view arrives. */
  #readers: (() => void)[] = []

  constructor(host: ReactiveControllerHost & Element, session: PageSession) {
    const { id, api, retries, link } = session
    this.#host = host
    this.#session = session
    this.#poller = new ViewPoller(api, this)
    this.#reporter = new StatusReporter(host, link)
    this.challenge = new ChallengeTurn({ id, api, retries, onChange: this.#onTurn })
    host.addController(this)
  }

  get locale(): string {
    return this.#session.locale
  }

  get screen(): Screen {
    const screen = screenOf(this.view, this.#waiting)
    if (screen !== 'challenge') return screen
    const at = this.challenge.state?.at
    const offers = at === 'failed' || at === 'elsewhere' || at === 'interrupted'
    return offers ? 'confirm-here' : 'challenge'
  }

  get notice(): Notice {
    return this.#disconnected && this.#notice !== 'unknown' ? 'connection' : this.#notice
  }

  /** Code, cause, and fix of the notice, for the merchant's developer. */
  get help(): string | undefined {
    return this.#error && this.notice ? helpFor(this.#error) : undefined
  }

  /** Why there is no session. */
  get failure(): unknown {
    return this.#session.failure
  }

  /** From Pay until a result or a failure, challenge included. */
  get busy(): boolean {
    const busyScreens: readonly Screen[] = ['challenge', 'confirm-here', 'processing']
    return (
      this.#action !== undefined ||
      this.#navigation !== undefined ||
      busyScreens.includes(this.screen)
    )
  }

  hostConnected(): void {
    this.#session.observe(this)
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      this.#navigation = undefined
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
    // The poller may read the result before the action's response arrives.
    const isEnd = this.screen === 'result'
    const end = this.#cancels && this.view.status === 'canceled' ? 'cancel' : 'finish'
    this.#reporter.report({ busy: this.busy && !isEnd, ...(isEnd && { end }) })
  }

  /** Confirms with a card. Retries send the same `attemptId`. */
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
        const view = await this.#session.api.confirm(request, signal)
        this.#confirmed = view.version
        return view
      },
      onNoResponse: () => {
        this.#challengeMayBeOurs = this.screen === 'challenge' || this.view?.version === version
      },
      pendingNotice: 'unknown',
      failedNotice: 'again',
    })
  }

  async cancel(): Promise<void> {
    if (this.#action) return
    this.#cancels = true
    await this.#perform({ send: async (signal) => await this.#session.api.cancel(signal) })
    this.#cancels = this.view?.status === 'canceled'
  }

  /** Cancels the challenge and returns to the card form. */
  async useAnotherCard(): Promise<void> {
    await this.#perform({ send: async (signal) => await this.#session.api.cancelChallenge(signal) })
  }

  /** Opens the challenge in this window and ends it in all others. */
  async confirmHere(): Promise<void> {
    if (this.screen === 'confirm-here' && !this.#action) await this.challenge.open()
  }

  /** Reads the view after a message of the issuer's page, which proves nothing. */
  onIssuerMessage(message: 'done' | 'over'): void {
    if (message === 'over') this.challenge.offer('interrupted')
    // A hostile issuer page may send any number of messages.
    if (performance.now() - this.#issuerMessageAt < 250) return
    this.#issuerMessageAt = performance.now()
    this.#poller.readNow()
  }

  /** Navigates the top page to an issuer that forbids framing. It returns to the page around this one. */
  async goToBank(): Promise<void> {
    if (this.#navigation) return
    const navigation = {}
    this.#navigation = navigation
    this.#showNotice(undefined)
    const notice = await this.#navigate()
    // The page left and was restored from the back/forward cache in the meantime.
    if (this.#navigation !== navigation) return
    this.#navigation = undefined
    this.#showNotice(this.screen === 'bank' ? notice : this.#notice)
  }

  onView(view: CheckoutView): void {
    this.#disconnected = false
    this.#adopt(view)
    this.#resolveReads()
    this.#host.requestUpdate()
  }

  onDisconnect(error: unknown): void {
    this.#disconnected = true
    this.#error = error
    this.#host.requestUpdate()
  }

  onSession(view: CheckoutView): void {
    const isFirst = !this.view
    this.#adopt(view)
    if (isFirst) void this.#poller.run()
  }

  onChange(): void {
    this.#host.requestUpdate()
  }

  onPing(): void {
    this.#poller.readNow()
  }

  /** Sends the pending requests again: the network may be back. */
  #resume(): void {
    this.#session.retries.resume()
    this.#poller.readNow()
  }

  #adopt(view: CheckoutView): void {
    if (this.view && view.version <= this.view.version) return
    this.view = view
    this.#resolveReads()
    if (isFinal(view)) this.#poller.stop()
    this.challenge.end()
    this.#notice = this.screen === 'card' && view.lastPaymentFailure ? 'failure' : undefined
    this.#error = undefined
    this.#waiting = true
    if (view.status === 'processing') void this.#startResultTimeout(view)
    void this.#startResponseTimeout(this.#action)
    this.#updateChallenge()
    this.#host.requestUpdate()
  }

  #updateChallenge(): void {
    if (this.screen === 'bank' && !this.#action && this.view?.version === this.#confirmed) {
      this.#confirmed = undefined
      void this.goToBank()
    }
    if (this.screen !== 'challenge') {
      // A later challenge belongs to a later confirmation.
      this.#challengeMayBeOurs = false
      return
    }
    // The response to a running confirmation identifies the challenge's window.
    if (this.challenge.state || this.#action) return
    if (this.view?.version === this.#confirmed) void this.challenge.open()
    else if (this.#challengeMayBeOurs) void this.challenge.openIfFree()
    else this.challenge.offer('elsewhere')
  }

  readonly #onTurn: ChallengeTurnOptions['onChange'] = (turn) => {
    this.#error = 'error' in turn ? turn.error : undefined
    if (turn.at === 'failing') this.#notice = 'connection'
    else if (turn.at !== 'failed') this.#notice = undefined
    else {
      this.#notice = noticeOf(turn.error) ?? 'bankFailed'
      this.#poller.readNow()
    }
    this.#host.requestUpdate()
  }

  async #startResultTimeout({ version }: CheckoutView): Promise<void> {
    await sleep(resultTimeout)
    if (this.view?.version !== version) return
    this.#waiting = false
    this.#host.requestUpdate()
  }

  /** Stops waiting for a response that a newer view has made obsolete. */
  async #startResponseTimeout(action: Action | undefined): Promise<void> {
    if (!action) return
    await sleep(responseTimeout)
    if (this.#action !== action) return
    action.isObsolete = true
    this.#session.retries.resume()
  }

  /** Sends the request for an action and shows its result. Until that is known, the page is busy. */
  async #perform({
    send,
    onNoResponse,
    pendingNotice = 'connection',
    failedNotice = 'notDone',
  }: ActionRequest): Promise<void> {
    if (this.#action || !this.view) return
    const { screen } = this
    const { version } = this.view
    const action: Action = { isObsolete: false }
    const hasChanged = (): boolean => this.view?.version !== version
    this.#action = action
    this.#showNotice(undefined)
    try {
      this.#adopt(
        await this.#session.retries.send(send, {
          onFailure: (error) => hasChanged() || this.#showNotice(pendingNotice, error),
          isObsolete: () => action.isObsolete,
        }),
      )
      if (!hasChanged()) this.#showNotice(undefined)
    } catch (error) {
      if (!isRejection(error)) onNoResponse?.()
      if (!action.isObsolete) await this.#read()
      const notice = noticeOf(error)
      if (this.screen === screen && (notice || !hasChanged()))
        this.#showNotice(notice ?? failedNotice, error)
    } finally {
      this.#action = undefined
      this.#updateChallenge()
      this.#host.requestUpdate()
    }
  }

  /** Waits for a view that was requested after this call. */
  async #read(): Promise<void> {
    if (!this.view || isFinal(this.view)) return
    await new Promise<void>((resolve) => {
      this.#readers.push(resolve)
      this.#poller.readNow()
    })
  }

  #resolveReads(): void {
    for (const resolve of this.#readers.splice(0)) resolve()
  }

  /** @returns The notice to show if the page did not leave. */
  async #navigate(): Promise<Notice> {
    const left = await this.#session.link.request({ t: 'leave' }, 'left')
    if (!left) return 'toBankFailed'
    try {
      const body = { returnUrl: left.page }
      const ticket = await this.#session.retries.send(
        (signal) => this.#session.api.openChallenge(body, signal),
        {
          onFailure: (error) => this.#showNotice('connection', error),
          isObsolete: () => this.screen !== 'bank',
        },
      )
      if (this.screen !== 'bank') return undefined
      this.#showNotice(undefined)
      submitChallenge(ticket, { target: '_top', locale: this.locale })
      await sleep(navigationTimeout)
      return 'toBankFailed'
    } catch (error) {
      if (isInvalidReturnUrl(error)) return 'returnRefused'
      await this.#read()
      return noticeOf(error) ?? 'bankFailed'
    }
  }

  #showNotice(notice: Notice, error?: unknown): void {
    this.#notice = notice
    this.#error = error
    this.#host.requestUpdate()
  }
}

/** Something that the buyer started. */
interface Action {
  /** A newer view has shown its result. */
  isObsolete: boolean
}

interface ActionRequest {
  readonly send: (signal: AbortSignal) => Promise<CheckoutView>
  /** Called if no response arrives. */
  readonly onNoResponse?: () => void
  /** Shown after the first failed attempt. */
  readonly pendingNotice?: Notice
  /** Shown if a view shows that the action had no effect. */
  readonly failedNotice?: Notice
}

const rejectionNotices: ReadonlyMap<string, Notice> = new Map<string, Notice>([
  ['card_not_accepted', 'numberNotTest'],
  ['rate_limited', 'tooMany'],
  ['version_conflict', 'changed'],
  ['attempt_in_progress', 'changed'],
])

function noticeOf(error: unknown): Notice {
  if (!isRejection(error)) return undefined
  if (error.pointers.includes('/paymentMethod/card/expYear')) return 'expiryPast'
  return rejectionNotices.get(error.code)
}

function isInvalidReturnUrl(error: unknown): boolean {
  if (!(error instanceof ApiProblem)) return false
  return error.code === 'origin_not_allowed' || error.code === 'validation_failed'
}
