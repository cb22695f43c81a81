/**
 * Waits for the form, for pages that hide or scroll until it can be used.
 *
 * @module
 */

import type { PiCheckout } from './checkout-element.ts'
import { CheckoutError } from './errors.ts'

/**
 * Resolves once the hosted page is shown: in `ready`, `busy` or `finished`.
 *
 * @param element A `<pi-checkout>`, defined or not yet.
 * @param options `signal` ends the wait.
 * @throws {CheckoutError} The element stands, or comes to stand, in `error`.
 */
export function whenReady(
  element: PiCheckout,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = new AbortController()
    const look = (): void => {
      const { state, error } = element
      if (state === 'error') reject(error ?? new CheckoutError('internal'))
      else if (state === 'ready' || state === 'busy' || state === 'finished') resolve()
      else return
      done.abort()
    }
    const giveUp = (): void => {
      reject(signal?.reason)
      done.abort()
    }
    if (signal?.aborted) return giveUp()
    signal?.addEventListener('abort', giveUp, { signal: done.signal })
    element.addEventListener('pi-statechange', look, { signal: done.signal })
    look()
  })
}
