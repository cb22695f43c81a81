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
  /** The next request returns immediately instead of waiting for a change. */
  #immediate = false
  readonly #readers: (() => void)[] = []

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
    for (let view = this.#shown(); view && !isFinal(view.status); view = this.#shown()) {
      this.#current = new AbortController()
      const { signal } = this.#current
      const version = this.#immediate ? undefined : view.version + 1
      this.#immediate = false
      try {
        const read = await this.#api.intent(version, signal)
        failures = 0
        this.#handle({ type: 'read', view: read })
        this.#endReads()
      } catch (error) {
        this.#immediate = true
        if (signal.aborted) continue
        if (++failures > 1) this.#handle({ type: 'read failed', error })
        await sleep(jittered(Math.min(8000, 500 * 2 ** failures)), signal)
      }
    }
    this.#endReads()
  }

  /** Reads now. The next view is of a request that was sent after this call. */
  readNow(): void {
    this.#immediate = true
    this.#current.abort()
  }

  /** Waits for a view that was requested after this call, or until the view is final. */
  async read(): Promise<void> {
    const view = this.#shown()
    if (!view || isFinal(view.status)) return
    await new Promise<void>((resolve) => {
      this.#readers.push(resolve)
      this.readNow()
    })
  }

  #endReads(): void {
    for (const resolve of this.#readers.splice(0)) resolve()
  }
}
