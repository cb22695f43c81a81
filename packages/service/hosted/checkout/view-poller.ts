/** Keeps the view current by long polling: another window may pay, a bank may decide, a deadline may pass. @module */
import { isFinal } from '@pi-checkout/contract/payment-status'
import type { CheckoutView } from '../../shared/checkout-api.ts'
import type { CheckoutApi } from './checkout-client.ts'
import type { PageEvent } from './page-state.ts'
import { jittered, sleep } from './retry.ts'

export class ViewPoller {
  readonly #api: CheckoutApi
  readonly #shown: () => CheckoutView | undefined
  readonly #handle: (event: PageEvent) => void
  /** Ends the running request or pause. */
  #current = new AbortController()

  /**
   * @param shown - Returns the view that the page shows.
   * @param handle - Called with each response, even without a change, and when several reads in a row have failed.
   */
  constructor(
    api: CheckoutApi,
    shown: () => CheckoutView | undefined,
    handle: (event: PageEvent) => void,
  ) {
    this.#api = api
    this.#shown = shown
    this.#handle = handle
  }

  /** Runs until the view is final. No failure ends it, so that the typed card stays. */
  async run(): Promise<void> {
    let failures = 0
    /** Whether the next request returns at once instead of waiting for a change. */
    let isImmediate = false
    for (let view = this.#shown(); view && !isFinal(view.status); view = this.#shown()) {
      this.#current = new AbortController()
      const { signal } = this.#current
      const version = isImmediate ? undefined : view.version + 1
      isImmediate = true
      try {
        const read = await this.#api.intent(version, signal)
        // It may be older than the latest call of `readNow`.
        if (signal.aborted) continue
        failures = 0
        isImmediate = false
        this.#handle({ type: 'read', view: read })
      } catch (error) {
        if (signal.aborted) continue
        if (++failures > 1) this.#handle({ type: 'read failed', error })
        await sleep(jittered(Math.min(8000, 500 * 2 ** failures)), signal)
      }
    }
  }

  /** Reads now. The next view is of a request that was sent after this call. */
  readNow(): void {
    this.#current.abort()
  }
}
