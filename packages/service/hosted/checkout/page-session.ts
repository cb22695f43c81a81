/** The connection to the shop, and the session. It is small: it works while the form's script loads. @module */
import type { FromElement } from '@pi-checkout/contract/frame-protocol'
import type { CheckoutView } from '../../shared/checkout-api.ts'
import { CheckoutApi, isRejection, type OpenSession } from './checkout-client.ts'
import { FrameLink, type PageLink } from './frame-link.ts'
import { fullPage, fullPageConfig } from './full-page.ts'
import { PageAppearance } from './page-appearance.ts'
import { Retries } from './retry.ts'

export class PageSession {
  /** The merchant's locale, as the element sent it. */
  locale = 'en'
  /** Why the shop has not confirmed the result. */
  shop: 'late' | 'failed' | undefined
  /** Whether no session can be opened. */
  hasFailed = false
  /** The view with which the session was opened, the latest time. */
  view: CheckoutView | undefined
  /** Called when one of these may have changed. */
  onChange = (): void => {}
  /** From `/checkout/:id` or `/checkout/:id/page`. */
  readonly id = decodeURIComponent(location.pathname.split('/')[2] ?? '')
  readonly api = new CheckoutApi(async () => await this.#renew())
  /** Of the requests that open a session or change the payment. */
  readonly retries = new Retries()
  readonly reads = new Retries()
  readonly link: PageLink

  readonly #appearance = new PageAppearance()
  /** What opens the session; set when the secret arrives. */
  #opening: OpenSession | undefined

  constructor() {
    if (fullPage) {
      this.link = fullPage
      this.#onMessage(fullPageConfig, '')
      void this.#open({ id: this.id })
      return
    }
    const origins = document.documentElement.dataset.origins?.split(' ') ?? []
    const link = new FrameLink(new Set(origins.filter(Boolean)), this.#onMessage)
    this.link = link
    link.start()
  }

  readonly #onMessage = (message: FromElement, origin: string): void => {
    switch (message.t) {
      case 'config':
        this.locale = message.locale
        this.shop = message.shop
        this.#appearance.set(message.appearance)
        this.onChange()
        return
      case 'auth':
        if (message.id !== this.id) this.#fail('unauthorized')
        else void this.#open({ id: message.id, clientSecret: message.secret, origin })
        return
      case 'ping':
        // The page around this one was restored.
        this.link.send({ t: 'pong' })
        this.reads.resume()
    }
  }

  async #open(request: OpenSession): Promise<void> {
    if (this.#opening) return
    this.#opening = request
    try {
      this.#adopt(await this.retries.send((signal) => this.api.open(request, signal)))
    } catch (error) {
      this.#fail(failCode(error))
    }
  }

  /** Opens the session again, with the secret of the page around this one, so that the typed card is kept. */
  async #renew(): Promise<void> {
    let request = this.#opening
    if (request && 'origin' in request) {
      const auth = await this.link.request({ t: 'renew' }, 'auth')
      request = auth?.id === this.id ? { ...request, clientSecret: auth.secret } : undefined
    }
    if (!request) throw new TypeError('auth: was not sent again')
    try {
      this.#adopt(await this.api.open(request))
    } catch (error) {
      if (isRejection(error)) this.#fail(failCode(error))
      throw error
    }
  }

  /** Reports to the element, which removes this page. A page that does not stays with the message. */
  #fail(code: string): void {
    this.link.fail(code)
    this.hasFailed = true
    this.onChange()
  }

  #adopt(view: CheckoutView): void {
    this.view = view
    this.onChange()
  }
}

function failCode(error: unknown): string {
  if (!isRejection(error)) return 'internal'
  if (error.code === 'origin_not_allowed') return 'origin_not_allowed'
  return error.status === 404 ? 'unauthorized' : 'internal'
}
