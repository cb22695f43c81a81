/**
 * The origin of the checkout: set once per page by its script, never read from the document.
 *
 * Markup can be injected, and would send the secret to another host.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'

let configured: string | undefined

/**
 * Sets the checkout's origin for each `<pi-checkout>` on the page.
 *
 * Call it once, before the first mount. Another call with the same origin has no effect.
 *
 * @param options - `origin`: https, or http on loopback, without a path. A trailing slash is a path.
 * @throws {TypeError} If `origin` is not such an origin, or differs from the one that is configured.
 * @example
 * configureCheckout({ origin: 'https://pay.example' })
 */
export function configureCheckout(options: { readonly origin: string }): void {
  const origin = readOrigin(options?.origin)
  if (!origin) {
    throw new TypeError(
      'origin: must be https, or http on loopback, without a path, such as https://pay.example',
    )
  }
  if (configured && configured !== origin) {
    throw new TypeError('origin: another one is already configured')
  }
  configured = origin
}

/** Returns the configured origin, or `undefined` before `configureCheckout`. */
export function checkoutOrigin(): string | undefined {
  return configured
}
