/**
 * Decides which window of a payment shows the challenge: the service allows one at a time, the latest.
 *
 * The window that confirmed the payment opens the challenge automatically. A reloaded window has lost
 * that state, so it opens the challenge if no other window of this browser shows it. Other windows offer a button.
 *
 * @module
 */
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import type { CheckoutApi } from './checkout-client.ts'
import type { Retries } from './retry.ts'

/** State of the challenge in this window. */
export type Turn =
  /** Waits for replies of other windows that may show it. */
  | { readonly at: 'asking' }
  | { readonly at: 'opening' }
  | { readonly at: 'open'; readonly ticket: ChallengeTicket }
  /** It could not be opened. */
  | { readonly at: 'failed'; readonly error: unknown }
  /** Another window shows it. */
  | { readonly at: 'elsewhere' }
  /** Its page here is no longer valid, or it is unknown which window shows it. */
  | { readonly at: 'interrupted' }

/** What a turn needs from its page. */
export interface ChallengeTurnOptions {
  readonly id: string
  readonly api: Pick<CheckoutApi, 'openChallenge'>
  readonly retries: Retries
  /** Called with each new state, and after each failed attempt to open. */
  readonly onChange: (turn: Turn | { readonly at: 'failing'; readonly error: unknown }) => void
}

export class ChallengeTurn {
  readonly #options: ChallengeTurnOptions
  /** Open only during a challenge: it may keep a page out of the back/forward cache. */
  #channel: BroadcastChannel | undefined
  #state: Turn | undefined
  #onReply: () => void = () => {}

  constructor(options: ChallengeTurnOptions) {
    this.#options = options
  }

  /** `undefined` while there is no challenge. */
  get state(): Turn | undefined {
    return this.#state
  }

  get ticket(): ChallengeTicket | undefined {
    return this.#state?.at === 'open' ? this.#state.ticket : undefined
  }

  /** Opens the challenge here, and ends it in every other window. */
  async open(): Promise<void> {
    const turn: Turn = { at: 'opening' }
    this.#connect()?.postMessage('taken')
    this.#setState(turn)
    const isObsolete = (): boolean => this.#state !== turn
    const { api, retries, onChange } = this.#options
    try {
      const ticket = await retries.send((signal) => api.openChallenge({}, signal), {
        onFailure: (error) => isObsolete() || onChange({ at: 'failing', error }),
        isObsolete,
      })
      if (!isObsolete()) this.#setState({ at: 'open', ticket })
    } catch (error) {
      if (!isObsolete()) this.#setState({ at: 'failed', error })
    }
  }

  /** Opens the challenge here unless another window shows it or may show it. */
  async openIfFree(): Promise<void> {
    const turn: Turn = { at: 'asking' }
    this.#setState(turn)
    const channel = this.#connect()
    if (!channel) return this.offer('interrupted')
    const isShown = await this.#isShownElsewhere(channel)
    if (this.#state !== turn) return
    if (isShown) this.offer('elsewhere')
    else await this.open()
  }

  /** Lets the buyer decide whether the challenge opens here. */
  offer(at: 'elsewhere' | 'interrupted'): void {
    this.#setState({ at })
  }

  /** Ends the turn: there is no challenge anymore. */
  end(): void {
    this.#state = undefined
    this.#channel?.close()
    this.#channel = undefined
  }

  #connect(): BroadcastChannel | undefined {
    this.#channel ??= openChannel(`challenge ${this.#options.id}`)
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#onMessage(data)
    return this.#channel
  }

  async #isShownElsewhere(channel: BroadcastChannel): Promise<boolean> {
    return await new Promise((resolve) => {
      this.#onReply = () => resolve(true)
      setTimeout(() => resolve(false), replyTimeout)
      channel.postMessage('whose')
    })
  }

  #onMessage(message: unknown): void {
    const isHere = this.#state?.at === 'opening' || this.#state?.at === 'open'
    if (message === 'held') this.#onReply()
    if (message === 'whose' && isHere) this.#channel?.postMessage('held')
    if (message === 'taken' && isHere) this.offer('elsewhere')
  }

  #setState(turn: Turn): void {
    this.#state = turn
    this.#options.onChange(turn)
  }
}

/** Milliseconds to wait for the reply of another window of this browser. */
const replyTimeout = 500

/** @returns `undefined` if the browser gives an iframe no channel to other windows of its origin. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name)
  } catch {
    return undefined
  }
}
