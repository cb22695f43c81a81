/**
 * Which of a payment's windows shows the challenge: the service lets one at a time, the latest.
 *
 * A window opens it by itself if it confirmed the payment. One that was loaded again cannot know that:
 * it opens the challenge if no other window of this browser shows it. Every other window offers to.
 *
 * @module
 */
import type { ChallengeTicket } from '../../shared/checkout-api.ts'
import type { CheckoutApi } from './checkout-api.ts'
import type { Retries } from './retry.ts'

/** Where this window stands with the challenge. */
export type Turn =
  /** Other windows are asked whether they show it. */
  | { readonly at: 'asking' }
  | { readonly at: 'opening' }
  | { readonly at: 'open'; readonly ticket: ChallengeTicket }
  /** It could not be opened. */
  | { readonly at: 'failed'; readonly error: unknown }
  /** Another window shows it. */
  | { readonly at: 'elsewhere' }
  /** Its page here is over, or it is not known who shows it. */
  | { readonly at: 'interrupted' }

/** What a turn needs of its page. */
export interface ChallengeTurnOptions {
  /** Id of the intent. */
  readonly id: string
  readonly api: Pick<CheckoutApi, 'openChallenge'>
  readonly retries: Retries
  /** Called with each new state, and after each failed try to open. */
  readonly onChange: (turn: Turn | 'failing') => void
}

export class ChallengeTurn {
  readonly #options: ChallengeTurnOptions
  /** Open only during a challenge: it may keep a page out of the back/forward cache. */
  #channel: BroadcastChannel | undefined
  #state: Turn | undefined
  #onHeld: () => void = () => {}

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
    this.#move(turn)
    const isOver = (): boolean => this.#state !== turn
    const { api, retries, onChange } = this.#options
    try {
      const ticket = await retries.send((signal) => api.openChallenge({}, signal), {
        onFailure: () => isOver() || onChange('failing'),
        isOver,
      })
      if (!isOver()) this.#move({ at: 'open', ticket })
    } catch (error) {
      if (!isOver()) this.#move({ at: 'failed', error })
    }
  }

  /** Opens the challenge here unless another window shows it, or may. */
  async openIfFree(): Promise<void> {
    const turn: Turn = { at: 'asking' }
    this.#move(turn)
    const channel = this.#connect()
    if (!channel) return this.offer('interrupted')
    const held = await this.#isHeld(channel)
    if (this.#state !== turn) return
    if (held) this.offer('elsewhere')
    else await this.open()
  }

  /** Leaves it to the buyer whether the challenge opens here. */
  offer(at: 'elsewhere' | 'interrupted'): void {
    this.#move({ at })
  }

  /** The payment has moved on: there is no challenge. */
  end(): void {
    this.#state = undefined
    this.#channel?.close()
    this.#channel = undefined
  }

  #connect(): BroadcastChannel | undefined {
    this.#channel ??= openChannel(`challenge ${this.#options.id}`)
    if (this.#channel) this.#channel.onmessage = ({ data }) => this.#hear(data)
    return this.#channel
  }

  async #isHeld(channel: BroadcastChannel): Promise<boolean> {
    return await new Promise((resolve) => {
      this.#onHeld = () => resolve(true)
      setTimeout(() => resolve(false), longestReply)
      channel.postMessage('whose')
    })
  }

  #hear(message: unknown): void {
    const isHere = this.#state?.at === 'opening' || this.#state?.at === 'open'
    if (message === 'held') this.#onHeld()
    if (message === 'whose' && isHere) this.#channel?.postMessage('held')
    if (message === 'taken' && isHere) this.offer('elsewhere')
  }

  #move(turn: Turn): void {
    this.#state = turn
    this.#options.onChange(turn)
  }
}

/** Milliseconds that another window of this browser has for its reply. */
const longestReply = 500

/** @returns `undefined` where the browser gives a frame no channel to its own other windows. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name)
  } catch {
    return undefined
  }
}
