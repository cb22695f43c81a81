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
 * @throws {DOMException} An `AbortError`: the element was removed from the document.
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
    const leave = (): void => {
      // A move takes the element out and puts it back in one task.
      queueMicrotask(() => {
        if (element.isConnected) return
        reject(new DOMException('pi-checkout: removed from the document', 'AbortError'))
        done.abort()
      })
    }
    if (signal?.aborted) return giveUp()
    signal?.addEventListener('abort', giveUp, { signal: done.signal })
    element.addEventListener('pi-statechange', look, { signal: done.signal })
    look()
    if (!done.signal.aborted) void followRemoval(element, { leave, signal: done.signal })
  })
}

/** Waits for the definition first: before it the element has no life cycle. */
async function followRemoval(
  element: PiCheckout,
  { leave, signal }: { readonly leave: () => void; readonly signal: AbortSignal },
): Promise<void> {
  await customElements.whenDefined(element.localName)
  if (signal.aborted) return
  const controller = { hostDisconnected: leave }
  element.addController(controller)
  signal.addEventListener('abort', () => element.removeController(controller))
}
