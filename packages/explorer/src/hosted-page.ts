/** Plays the hosted page for a buyer: opens its session, and confirms, over the service's checkout API. @module */
import { randomBytes } from 'node:crypto'

/** What the shop gives to its page. */
export interface Handoff {
  readonly id: string
  readonly clientSecret: string
}

/** A form that opens the hosted page as a separate page. */
export interface FullPageForm {
  readonly action: string
  readonly fields: URLSearchParams
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

interface Grant {
  readonly token: string
  readonly intent: View
}

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
    return page.#adopt(await page.#send<Grant>('checkout-api/session', body))
  }

  /** Opens it as a separate page, with the form of a page at `origin`. */
  static async openFull(
    checkoutOrigin: string,
    { action, fields }: FullPageForm,
    origin: string,
  ): Promise<HostedPage | undefined> {
    const page = new HostedPage(checkoutOrigin)
    const response = await fetch(action, {
      method: 'POST',
      headers: { origin },
      body: fields,
      redirect: 'manual',
    })
    await response.text()
    const [cookie = ''] = response.headers.get('set-cookie')?.split(';', 1) ?? []
    const path = `${new URL(action).pathname.slice(1)}/session`
    return page.#adopt(await page.#send<Grant>(path, {}, { cookie }))
  }

  #adopt(opened: Grant | undefined): HostedPage | undefined {
    if (!opened) return undefined
    this.#token = opened.token
    this.#view = opened.intent
    return this
  }

  /** Presses Pay. @returns The status, or `undefined` if the service rejected it. */
  async pay(card: Card): Promise<string | undefined> {
    const confirmationId = randomBytes(16).toString('base64url')
    const details = { number: cards[card], expMonth: 12, expYear: 2040, cvc: '123' }
    const paymentMethod = { type: 'card', card: details }
    const body = { confirmationId, version: this.#view.version, paymentMethod }
    return (await this.#send<View>('checkout-api/confirm', body))?.status
  }

  async cancel(): Promise<string | undefined> {
    return (await this.#send<View>('checkout-api/cancel', {}))?.status
  }

  async #send<T>(
    path: string,
    body: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T | undefined> {
    const response = await fetch(`${this.#checkoutOrigin}/${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: this.#checkoutOrigin,
        ...(this.#token && { authorization: `Bearer ${this.#token}` }),
        ...headers,
      },
      body: JSON.stringify(body),
    })
    return response.ok ? ((await response.json()) as T) : void (await response.text())
  }
}
