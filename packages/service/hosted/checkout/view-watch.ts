/**
 * Keeps a view fresh by long polling: another window may pay, a bank may answer, time may run out.
 *
 * @module
 */
import type { DisplayView } from '../../src/checkout/display-view.ts'
import { ApiProblem, type CheckoutApi } from './checkout-api.ts'
import { sleep } from './retry.ts'
import { isOver } from './standing.ts'

/** Who is told what the watch sees. */
export interface Watcher {
  /** The view that the page has. */
  readonly view: DisplayView | undefined
  /** The service answered, perhaps with nothing new. */
  seen(view: DisplayView): void
  /** No answer came, several times in a row. */
  lost(): void
  /** The session is over. */
  ended(): void
}

export class ViewWatch {
  readonly #api: CheckoutApi
  readonly #watcher: Watcher
  #waiting = new AbortController()
  #wokenAt = 0

  constructor(api: CheckoutApi, watcher: Watcher) {
    this.#api = api
    this.#watcher = watcher
  }

  /** Runs until nothing more can happen. */
  async run(): Promise<void> {
    let failures = 0
    for (let view = this.#watcher.view; view && !isOver(view); view = this.#watcher.view) {
      const woken = this.#waiting.signal.aborted
      if (woken) this.#waiting = new AbortController()
      try {
        const next = woken ? undefined : view.version + 1
        this.#watcher.seen(await this.#api.intent(next, this.#waiting.signal))
        failures = 0
      } catch (error) {
        if (this.#waiting.signal.aborted) continue
        if (error instanceof ApiProblem && error.status < 500 && error.status !== 429) {
          this.#watcher.ended()
          return
        }
        if (++failures > 1) this.#watcher.lost()
        await sleep(Math.min(8000, 500 * 2 ** failures))
      }
    }
  }

  /** Waits no longer: nothing more can happen, and the service has better to do than to say so. */
  end(): void {
    this.#waiting.abort()
  }

  /** Asks now instead of waiting: something may have happened. */
  wake(): void {
    // A hostile issuer page may flood us with messages.
    if (performance.now() - this.#wokenAt < 250) return
    this.#wokenAt = performance.now()
    this.#waiting.abort()
  }
}
