/**
 * Where the checkout lives: pinned once per page by its own script, never read from the document.
 *
 * Markup could be injected, and would aim the secret at another host.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'

let pinned: string | undefined

/**
 * Pins the origin of the checkout for every `<pi-checkout>` of this page.
 *
 * Call it once, before or right after the import of `./define`. The same origin again has no effect.
 *
 * @param options `origin`: https, or http on loopback, such as `http://127.0.0.1:4000`. No path,
 * user or query; a trailing slash is a path.
 * @throws {TypeError} `origin` is no such origin, or another one is pinned already.
 */
export function configureCheckout(options: { readonly origin: string }): void {
  const origin = readOrigin(options?.origin)
  if (!origin) {
    throw new TypeError(
      'origin: must be exactly an origin, https or http on loopback, such as https://pay.example',
    )
  }
  if (pinned && pinned !== origin) {
    throw new TypeError('origin: another origin is pinned already; configure the checkout once')
  }
  pinned = origin
}

/** Returns the pinned origin; `undefined` before `configureCheckout`. */
export function checkoutOrigin(): string | undefined {
  return pinned
}
