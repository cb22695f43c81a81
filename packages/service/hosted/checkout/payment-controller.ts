/** The effects of the page's steps: requests, timers, and messages to the element. @module */
import { isFinal } from '@pi-checkout/contract/payment-status'
import type { LitElement, ReactiveController, ReactiveControllerHost } from 'lit'
import type { CardDetails, ChallengeTicket } from '../../shared/checkout-api.ts'
import type { PageSession } from './page-session.ts'
import {
  isBusy,
  isRedirect,
  next,
  type PageEvent,
  type Sending,
  type Step,
  type Work,
  worksOf,
} from './page-state.ts'
import { sleep } from './retry.ts'
import { StatusReporter } from './status-reporter.ts'
import { submitChallenge } from './submit-challenge.ts'

/** Failures of a read in a row that the buyer does not hear of. */
const toleratedFailures = 2
/** Milliseconds for which the page waits for a pending result. The shop gets the result later too. */
const resultTimeout = 12_000
/** Milliseconds after which a top page that did not navigate is taken to stay. */
const navigationTimeout = 10_000

/** One work of a step. */
interface Run {
  /** Returns whether a step still has the work. */
  readonly isCurrent: () => boolean
  /** Handles an event, unless no step has the work anymore. */
  readonly handle: (event: PageEvent) => void
}

export class PaymentController implements ReactiveController {
  step: Step = { name: 'opening' }

  readonly #host: ReactiveControllerHost & Element
  readonly #session: PageSession
  readonly #reporter: StatusReporter
  readonly #runs = new Map<Work, Run>()
  #issuerMessageAt = 0

  constructor(host: ReactiveControllerHost & Element, session: PageSession) {
    this.#host = host
    this.#session = session
    this.#reporter = new StatusReporter(host, session.link)
    host.addController(this)
  }

  hostConnected(): void {
    this.#session.onChange = this.#onSession
    this.#onSession()
    window.addEventListener('pageshow', ({ persisted }) => {
      if (!persisted) return
      this.#handle({ type: 'restored' })
      this.#resume()
    })
    window.addEventListener('offline', () => this.#handle({ type: 'offline' }))
    window.addEventListener('online', () => {
      this.#handle({ type: 'online' })
      this.#resume()
    })
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') this.#resume()
    })
  }

  hostUpdated(): void {
    void this.#report()
  }

  /** Confirms with a card. Retries send the same `confirmationId`. */
  pay(card: CardDetails): void {
    const { view } = this.step
    if (!view) return
    const paymentMethod = { type: 'card', card } as const
    const confirmationId = crypto.randomUUID()
    this.send({
      path: 'confirm',
      confirmation: { confirmationId, version: view.version, paymentMethod },
    })
  }

  /** Sends a request of the buyer, unless another one runs. */
  send(sending: Sending): void {
    this.#handle({ type: 'send', sending })
  }

  /** Opens the bank's page in this window, which ends it in all others. */
  open(): void {
    this.#handle({ type: 'open' })
  }

  /** Reads the view after a message of the issuer's page, which proves nothing. */
  onIssuerMessage(message: 'done' | 'over'): void {
    if (message === 'over') this.#handle({ type: 'over' })
    // A hostile issuer page may send any number of messages.
    if (performance.now() - this.#issuerMessageAt < 250) return
    this.#issuerMessageAt = performance.now()
    this.#session.reads.resume()
  }

  /** The session may have been opened before the form was there. */
  readonly #onSession = (): void => {
    this.#host.requestUpdate()
    const { view } = this.#session
    if (!view) return
    const isFirst = this.step.name === 'opening'
    this.#handle({ type: 'session', view })
    if (isFirst) void this.#follow()
  }

  /**
   * Keeps the view current by long polling: another window may pay, a bank may decide, a deadline may pass. Only a final
   * view ends it, and no failure, so that the typed card stays.
   */
  async #follow(): Promise<void> {
    const { api, reads } = this.#session
    const hasEnded = (): boolean => !this.step.view || isFinal(this.step.view.status)
    while (!hasEnded()) {
      const newer = (this.step.view?.version ?? 0) + 1
      const read = await reads
        .send(
          // After a failure it does not wait for a change.
          (signal, isFirst) => api.intent(isFirst ? newer : undefined, signal),
          {
            isEndless: true,
            isObsolete: hasEnded,
            onFailure: (failures) => {
              if (failures > toleratedFailures) this.#handle({ type: 'read failed' })
            },
          },
        )
        .catch(() => undefined)
      if (read) this.#handle({ type: 'read', view: read })
    }
  }

  /** Sends pending requests again: the network may be back. */
  #resume(): void {
    this.#session.retries.resume()
    this.#session.reads.resume()
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
    const works = worksOf(this.step)
    for (const work of this.#runs.keys()) if (!works.includes(work)) this.#runs.delete(work)
    for (const work of works) if (!this.#runs.has(work)) void this.#start(work)
    this.#host.requestUpdate()
  }

  async #start(work: Work): Promise<void> {
    const run: Run = {
      isCurrent: () => this.#runs.get(work) === run,
      handle: (event) => {
        if (run.isCurrent()) this.#handle(event)
      },
    }
    this.#runs.set(work, run)
    try {
      run.handle(await this.#do(work, run))
    } catch (error) {
      // Only a read that is sent after the failure shows whether the request had an effect.
      if (run.isCurrent()) this.#session.reads.resume()
      run.handle({ type: typeof work === 'object' ? 'send failed' : 'open failed', error })
    }
  }

  /** Does a work, and returns what follows from it. */
  async #do(work: Work, run: Run): Promise<PageEvent> {
    if (typeof work === 'object') {
      const { path, confirmation = {} } = work
      const send = (signal: AbortSignal) => this.#session.api.change(path, confirmation, signal)
      return { type: 'response', view: await this.#request(run, send) }
    }
    if (work.startsWith('open')) {
      if (isRedirect(this.step)) return await this.#leave(run)
      return { type: 'opened', ticket: await this.#openChallenge(run, {}) }
    }
    await sleep(resultTimeout)
    return { type: 'waited' }
  }

  /** Replaces the top page. Returns after some seconds if it stays. */
  async #leave(run: Run): Promise<PageEvent> {
    const left = await this.#session.link.request({ t: 'leave' }, 'left')
    const ticket =
      left && run.isCurrent() && (await this.#openChallenge(run, { returnUrl: left.page }))
    if (ticket && run.isCurrent()) {
      submitChallenge(ticket, { target: '_top', locale: this.#session.locale })
      await sleep(navigationTimeout)
    }
    return { type: 'open failed', error: undefined }
  }

  async #openChallenge(run: Run, body: { readonly returnUrl?: string }): Promise<ChallengeTicket> {
    return await this.#request(run, (signal) => this.#session.api.openChallenge(body, signal))
  }

  /** Sends a request until it has a response, or no step has the work anymore. */
  async #request<T>(run: Run, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return await this.#session.retries.send(send, {
      onFailure: () => run.handle({ type: 'failing' }),
      isObsolete: () => !run.isCurrent(),
    })
  }
}
