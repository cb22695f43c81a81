/** The effects of the page's steps: requests, timers, and messages to the element. @module */
import type { LitElement, ReactiveController, ReactiveControllerHost } from 'lit'
import type {
  CardDetails,
  ChallengeTicket,
  CheckoutView,
  ConfirmBody,
} from '../../shared/checkout-api.ts'
import type { ChangePath } from './checkout-client.ts'
import type { PageSession, SessionObserver } from './page-session.ts'
import {
  type Action,
  type Button,
  isBusy,
  next,
  type PageEvent,
  type Step,
  type Work,
  workOf,
} from './page-state.ts'
import { sleep } from './retry.ts'
import { StatusReporter } from './status-reporter.ts'
import { submitChallenge } from './submit-challenge.ts'
import { ViewPoller } from './view-poller.ts'

/** Milliseconds for which the page waits for a pending result. The shop gets the result later too. */
const resultTimeout = 12_000
/** Milliseconds after which a payment without a response shows another text. */
const silence = 15_000
/** Milliseconds for which an action waits for its response after a newer view has arrived. */
const responseTimeout = 2000
/** Milliseconds after which a top page that did not navigate is taken to stay. */
const navigationTimeout = 10_000

export class PaymentController implements ReactiveController, SessionObserver {
  step: Step = { name: 'opening' }

  readonly #host: ReactiveControllerHost & Element
  readonly #session: PageSession
  readonly #poller: ViewPoller
  readonly #reporter: StatusReporter
  /** The work that the step has started. */
  #run = {}
  /** The request whose result a newer view has shown. */
  #obsolete: unknown
  #issuerMessageAt = 0

  constructor(host: ReactiveControllerHost & Element, session: PageSession) {
    this.#host = host
    this.#session = session
    this.#poller = new ViewPoller(
      session.api,
      () => this.view,
      (event) => this.#handle(event),
    )
    this.#reporter = new StatusReporter(host, session.link)
    host.addController(this)
  }

  get view(): CheckoutView | undefined {
    return this.step.name === 'opening' ? undefined : this.step.view
  }

  hostConnected(): void {
    this.#session.observe(this)
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      this.#handle({ type: 'restored' })
      this.#resume()
    })
    window.addEventListener('online', () => this.#resume())
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#resume()
    })
  }

  hostUpdated(): void {
    void this.#report()
  }

  /** Confirms with a card. Retries send the same `confirmationId`. */
  pay(card: CardDetails): void {
    if (!this.view) return
    const { version } = this.view
    const paymentMethod = { type: 'card', card } as const
    const body: ConfirmBody = { confirmationId: crypto.randomUUID(), version, paymentMethod }
    void this.#send('pay', 'confirm', body)
  }

  /**
   * Cancels the payment, or the challenge for another card. Or opens the challenge in this window, which ends it in all
   * others, or leaves for a bank that forbids framing.
   */
  press(button: Exclude<Button, 'pay'>): void {
    if (button === 'cancel') void this.#send(button, 'cancel')
    else if (button === 'another-card') void this.#send(button, 'challenge/cancel')
    else this.#handle({ type: 'press', button })
  }

  /** Reads the view after a message of the issuer's page, which proves nothing. */
  onIssuerMessage(message: 'done' | 'over'): void {
    if (message === 'over') this.#handle({ type: 'over' })
    // A hostile issuer page may send any number of messages.
    if (performance.now() - this.#issuerMessageAt < 250) return
    this.#issuerMessageAt = performance.now()
    this.#poller.readNow()
  }

  onSession(view: CheckoutView): void {
    const isFirst = this.step.name === 'opening'
    this.#handle({ type: 'read', view })
    if (isFirst) void this.#poller.run()
  }

  onChange(): void {
    this.#host.requestUpdate()
  }

  onPing(): void {
    this.#poller.readNow()
  }

  async #report(): Promise<void> {
    // It renders after the page.
    await this.#host.querySelector<LitElement>('card-form')?.updateComplete
    const { step } = this
    if (step.name === 'opening') return
    this.#reporter.report(step.name === 'result' ? step.end : 'ready', isBusy(step))
  }

  #handle(event: PageEvent): void {
    const before = this.step
    this.step = next(before, event)
    if (this.step === before) return
    const work = workOf(this.step)
    if (work !== workOf(before)) {
      this.#run = {}
      if (work) void this.#start(work, this.#run)
    }
    if (before.name !== 'opening' && this.view !== before.view) {
      void this.#startResponseTimeout(this.#sending)
    }
    this.#host.requestUpdate()
  }

  get #sending(): unknown {
    return this.step.name === 'opening' ? undefined : this.step.sending
  }

  /** Sends pending requests again: the network may be back. */
  #resume(): void {
    this.#session.retries.resume()
    this.#poller.readNow()
  }

  /** Sends the request for an action. */
  async #send(button: Action, path: ChangePath, body: object = {}): Promise<void> {
    const before = this.step
    this.#handle({ type: 'press', button })
    if (this.step === before) return
    const sending = this.#sending
    const isObsolete = (): boolean => this.#obsolete === sending
    const onFailure = (error: unknown): void => this.#handle({ type: 'failing', error })
    if (button === 'pay') void this.#watchSilence(sending)
    try {
      const { retries, api } = this.#session
      const send = async (signal: AbortSignal) => await api.change(path, body, signal)
      const view = await retries.send(send, { onFailure, isObsolete })
      this.#handle({ type: 'response', view })
    } catch (error) {
      if (!isObsolete()) await this.#poller.read()
      this.#handle({ type: 'send failed', error })
    }
  }

  async #watchSilence(sending: unknown): Promise<void> {
    await sleep(silence)
    if (this.#sending === sending) this.#handle({ type: 'silent' })
  }

  /** Stops waiting for a response that a newer view has made obsolete. */
  async #startResponseTimeout(sending: unknown): Promise<void> {
    if (!sending) return
    await sleep(responseTimeout)
    if (this.#sending !== sending) return
    this.#obsolete = sending
    this.#session.retries.resume()
  }

  /** Does the work of a step until another one replaces `run`. */
  async #start(work: Work, run: object): Promise<void> {
    const isCurrent = (): boolean => this.#run === run
    const handle = (event: PageEvent): void => {
      if (isCurrent()) this.#handle(event)
    }
    try {
      if (work.startsWith('wait')) {
        await sleep(resultTimeout)
        handle({ type: 'waited' })
      } else if (work.startsWith('open')) {
        handle({ type: 'opened', ticket: await this.#openChallenge({}, isCurrent) })
      } else {
        await this.#leave(isCurrent)
        handle({ type: 'open failed', error: undefined })
      }
    } catch (error) {
      if (!isCurrent()) return
      this.#handle({ type: 'open failed', error })
      this.#poller.readNow()
    }
  }

  /** Replaces the top page. Returns after some seconds if it stays. */
  async #leave(isCurrent: () => boolean): Promise<void> {
    const left = await this.#session.link.request({ t: 'leave' }, 'left')
    if (!left || !isCurrent()) return
    const ticket = await this.#openChallenge({ returnUrl: left.page }, isCurrent)
    if (!isCurrent()) return
    submitChallenge(ticket, { target: '_top', locale: this.#session.locale })
    await sleep(navigationTimeout)
  }

  async #openChallenge(
    body: { readonly returnUrl?: string },
    isCurrent: () => boolean,
  ): Promise<ChallengeTicket> {
    return await this.#session.retries.send(
      async (signal) => await this.#session.api.openChallenge(body, signal),
      {
        onFailure: (error) => {
          if (isCurrent()) this.#handle({ type: 'failing', error })
        },
        isObsolete: () => !isCurrent(),
      },
    )
  }
}
