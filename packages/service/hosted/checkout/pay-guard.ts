/**
 * Arms Pay only while the buyer can really see it, so that no page can trick a click out of them.
 *
 * Where the browser can tell (IntersectionObserver v2, Chromium) it must call the button visible;
 * elsewhere half a second must have passed since the form appeared.
 *
 * @module
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit'

export class PayGuard implements ReactiveController {
  armed = false
  readonly #host: ReactiveControllerHost
  readonly #button: () => Element | null
  #watched: Element | null = null
  #observer: IntersectionObserver | undefined

  constructor(host: ReactiveControllerHost, button: () => Element | null) {
    this.#host = host
    this.#button = button
    host.addController(this)
  }

  hostUpdated(): void {
    const button = this.#button()
    if (button === this.#watched) return
    this.#observer?.disconnect()
    this.#watched = button
    if (!button) return
    if (canSeeCover()) this.#observe(button)
    else setTimeout(() => this.#arm(true), 500)
  }

  hostDisconnected(): void {
    this.#observer?.disconnect()
    this.#watched = null
  }

  #observe(button: Element): void {
    // `trackVisibility` and `delay` are not in TypeScript's DOM library.
    const options = { threshold: [0, 0.5, 1], trackVisibility: true, delay: 100 }
    this.#observer = new IntersectionObserver((entries) => {
      const latest = entries.at(-1) as
        | (IntersectionObserverEntry & { isVisible: boolean })
        | undefined
      if (latest) this.#arm(latest.isVisible)
    }, options)
    this.#observer.observe(button)
  }

  #arm(armed: boolean): void {
    if (armed === this.armed) return
    this.armed = armed
    this.#host.requestUpdate()
  }
}

function canSeeCover(): boolean {
  return 'isVisible' in IntersectionObserverEntry.prototype
}
