/** Waits for the form, for pages that hide or scroll until it is usable. @module */
import type { PiCheckout } from './checkout-element.ts'

/**
 * Waits until the hosted page is shown: state `ready`, `busy`, or `finished`. Values that were set before, and
 * `reload()`, take effect first.
 *
 * @param element - A `<pi-checkout>`. It may be defined later.
 * @param options - `signal`: stops waiting.
 * @throws {CheckoutError} If the state is, or becomes, `error`.
 * @throws {DOMException} An `AbortError`, if the element is removed from the document.
 * @example
 * const pay = document.querySelector('pi-checkout')
 * if (pay) await whenReady(pay)
 */
export function whenReady(
  element: PiCheckout,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = new AbortController()
    const check = (): void => {
      const { state, error } = element
      if (error) reject(error)
      else if (state === 'ready' || state === 'busy' || state === 'finished') resolve()
      else return
      done.abort()
    }
    const onAbort = (): void => {
      reject(signal?.reason)
      done.abort()
    }
    const onRemoved = (): void => {
      // A move removes the element and inserts it again in one task.
      queueMicrotask(() => {
        if (element.isConnected) return
        reject(new DOMException('pi-checkout: removed from the document', 'AbortError'))
        done.abort()
      })
    }
    if (signal?.aborted) return onAbort()
    signal?.addEventListener('abort', onAbort, { signal: done.signal })
    element.addEventListener('pi-statechange', check, { signal: done.signal })
    void Promise.resolve(element.updateComplete).then(() => done.signal.aborted || check())
    void observeRemoval(element, { onRemoved, signal: done.signal })
  })
}

/** Waits for the definition first: an undefined element has no lifecycle. */
async function observeRemoval(
  element: PiCheckout,
  { onRemoved, signal }: { readonly onRemoved: () => void; readonly signal: AbortSignal },
): Promise<void> {
  await customElements.whenDefined(element.localName)
  if (signal.aborted) return
  const controller = { hostDisconnected: onRemoved }
  element.addController(controller)
  signal.addEventListener('abort', () => element.removeController(controller))
}
