/** The frame of an element: mounted from a handoff, and kept in the page's language and look. @module */
import type { ReactiveController } from 'lit'
import type { PiCheckout } from './checkout-element.ts'
import { settings } from './configure-checkout.ts'
import { FrameSession, type SessionOptions } from './frame-session.ts'
import { closestLanguage } from './texts.ts'

export class FrameController implements ReactiveController {
  readonly #host: PiCheckout
  readonly #observer = new MutationObserver(() => this.#host.requestUpdate())
  #session: FrameSession | undefined

  constructor(host: PiCheckout) {
    this.#host = host
    host.addController(this)
  }

  /** BCP 47 tag. */
  get language(): string {
    return this.#host.locale || closestLanguage(this.#host) || 'en'
  }

  get element(): HTMLIFrameElement | undefined {
    return this.#session?.frame
  }

  /** Replaces the frame. The page of the new one receives the secret through its port only. */
  mount(options: Pick<SessionOptions, 'handoff' | 'shop' | 'emit'>): void {
    this.unmount()
    this.#session = new FrameSession({
      ...options,
      origin: settings.checkoutOrigin ?? location.origin,
      locale: () => this.language,
      appearance: () => this.#host.appearance ?? settings.appearance,
    })
  }

  /** The element removes the frame with its next update. */
  unmount(): void {
    this.#session?.end()
    this.#session = undefined
  }

  hostConnected(): void {
    // An element in a shadow root follows the page's language.
    const options = { attributes: true, attributeFilter: ['lang'], subtree: true }
    this.#observer.observe(document, options)
  }

  hostUpdated(): void {
    this.#session?.configure()
  }

  hostDisconnected(): void {
    this.#observer.disconnect()
    // A frame that stays in the shadow root would load again with the next insertion. The payment ends its session.
    this.element?.remove()
  }
}
