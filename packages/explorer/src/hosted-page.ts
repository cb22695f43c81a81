/** Plays the hosted page for a buyer: opens its session, and confirms, over the service's checkout API. @module */
import { randomBytes } from 'node:crypto'

/** What the shop gives to its page. */
export interface Handoff {
  readonly id: string
  readonly clientSecret: string
}

/** Card numbers of the sandbox, by what they lead to. */
const cards = {
  succeeds: '4242424242424242',
  declined: '4000000000000002',
  stolen: '4000000000009979',
  challenge: '4000000000003220',
  pending: '4000000000000077',
} as const

/** A card, as an action names it. */
export type Card = keyof typeof cards

interface View {
  readonly version: number
  readonly status: string
}

/** An open hosted page. */
export class HostedPage {
  readonly #checkoutOrigin: string
  #token = ''
  #view: View = { version: 0, status: '' }

  private constructor(checkoutOrigin: string) {
    this.#checkoutOrigin = checkoutOrigin
  }

  /** @returns The page, or `undefined` if the intent can no longer be opened. */
  static async open(
    checkoutOrigin: string,
    handoff: Handoff,
    origin: string,
  ): Promise<HostedPage | undefined> {
    const page = new HostedPage(checkoutOrigin)
    const body = { id: handoff.id, clientSecret: handoff.clientSecret, origin }
    const opened = await page.#send<{ token: string; intent: View }>('session', body)
    if (!opened) return undefined
    page.#token = opened.token
    page.#view = opened.intent
    return page
  }

  /** Presses Pay. @returns The status, or `undefined` if the service rejected it. */
  async pay(card: Card): Promise<string | undefined> {
    const attemptId = randomBytes(16).toString('base64url')
    const details = { number: cards[card], expMonth: 12, expYear: 2040, cvc: '123' }
    const paymentMethod = { type: 'card', card: details }
    const body = { attemptId, version: this.#view.version, paymentMethod }
    return (await this.#send<View>('confirm', body))?.status
  }

  async cancel(): Promise<string | undefined> {
    return (await this.#send<View>('cancel', {}))?.status
  }

  async #send<T>(path: string, body: object): Promise<T | undefined> {
    const response = await fetch(`${this.#checkoutOrigin}/checkout-api/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: this.#checkoutOrigin,
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      },
      body: JSON.stringify(body),
    })
    return response.ok ? ((await response.json()) as T) : void (await response.text())
  }
}
