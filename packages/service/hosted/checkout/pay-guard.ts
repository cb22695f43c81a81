/**
 * Arms Pay only while the buyer can really see it, so that no page can trick a click out of them.
 *
 * Where the browser can tell (IntersectionObserver v2, Chromium) it must call the button visible;
 * elsewhere half a second must have passed since the form appeared.
 *
 * @module
 */
import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { sleep } from './retry.ts'

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

  /**
   * Brings the button into view and gives the browser a moment to see it: Enter in a field may come
   * while the button is below the fold.
   *
   * @returns Whether Pay is armed now.
   */
  async settle(): Promise<boolean> {
    if (!this.armed) this.#watched?.scrollIntoView({ block: 'nearest' })
    for (let waited = 0; !this.armed && waited < 600; waited += 50) await sleep(50)
    return this.armed
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
