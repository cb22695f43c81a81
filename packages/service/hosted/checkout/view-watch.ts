/**
 * Keeps a view fresh by long polling: another window may pay, a bank may answer, time may run out.
 *
 * @module
 */
import type { CheckoutView } from '../../shared/checkout-api.ts'
import type { CheckoutApi } from './checkout-api.ts'
import { scattered, sleep } from './retry.ts'
import { isOver } from './standing.ts'

/** Who is told what the watch sees. */
export interface Watcher {
  /** The view that the page has. */
  readonly view: CheckoutView | undefined
  /** The service answered, perhaps with nothing new. */
  seen(view: CheckoutView): void
  /** No answer came, several times in a row. */
  lost(): void
}

export class ViewWatch {
  readonly #api: CheckoutApi
  readonly #watcher: Watcher
  /** Of the request or the pause that runs. */
  #current = new AbortController()
  /** The next request reads at once instead of waiting for a change. */
  #hurried = false

  constructor(api: CheckoutApi, watcher: Watcher) {
    this.#api = api
    this.#watcher = watcher
  }

  /** Runs until nothing more can happen. No failure ends it: what the buyer typed stays. */
  async run(): Promise<void> {
    let failures = 0
    for (let view = this.#watcher.view; view && !isOver(view); view = this.#watcher.view) {
      this.#current = new AbortController()
      const { signal } = this.#current
      const next = this.#hurried ? undefined : view.version + 1
      this.#hurried = false
      try {
        const seen = await this.#api.intent(next, signal)
        failures = 0
        this.#watcher.seen(seen)
      } catch {
        this.#hurried = true
        if (signal.aborted) continue
        if (++failures > 1) this.#watcher.lost()
        await sleep(scattered(Math.min(8000, 500 * 2 ** failures)), signal)
      }
    }
  }

  /** Waits no longer: nothing more can happen, and the service has better to do than to say so. */
  end(): void {
    this.#current.abort()
  }

  /** Reads at once. What is seen next was asked for after this call. */
  wake(): void {
    this.#hurried = true
    this.#current.abort()
  }
}
