/**
 * The checkout's origin and look, set by a script and never read from the document.
 *
 * Markup can be injected, and would send the secret to another host.
 *
 * @module
 */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'
import { readOrigin } from '@pi-checkout/contract/origin'

/** What `configureCheckout` sets. */
export interface CheckoutConfiguration {
  /**
   * Origin of the checkout: https, or http on loopback, without a path. A trailing slash is a path.
   *
   * @default The origin that is configured already, such as that of the checkout's own file
   */
  readonly checkoutOrigin?: string | undefined
  /**
   * Look of the hosted page, for elements that have no `appearance`.
   *
   * @default The look of the checkout
   */
  readonly appearance?: Appearance | undefined
}

interface Settings {
  checkoutOrigin?: string
  appearance?: Appearance
}

// In a global symbol: a module that runs again, as in tests that reset modules, finds the tag registered.
const key = Symbol.for('pi-checkout')
const page = globalThis as { [key]?: Settings }
page[key] ??= {}

export const settings: Readonly<Settings> = page[key]

/** Dispatched on the document after each call. */
export const configuredEvent = 'pi-configured'

/**
 * Sets origin and look of `<pi-checkout>`.
 *
 * An element waits four seconds for it. On a server it sets nothing, because a process serves many pages.
 *
 * @param configuration - `checkoutOrigin` and `appearance`. The checkout's own file knows its origin.
 * @throws {TypeError} If `checkoutOrigin` is not an origin, or the page has another one.
 * @example
 * configureCheckout({ checkoutOrigin: 'https://pay.example', appearance: { accent: '#ad4318' } })
 */
export function configureCheckout({ checkoutOrigin, appearance }: CheckoutConfiguration): void {
  const origin = checkoutOrigin !== undefined || !appearance ? checkedOrigin(checkoutOrigin) : {}
  if (typeof document === 'undefined') return
  Object.assign(settings, origin, appearance && { appearance })
  document.dispatchEvent(new Event(configuredEvent))
}

function checkedOrigin(value: unknown): Settings {
  const checkoutOrigin = readOrigin(value)
  if (!checkoutOrigin) {
    throw new TypeError('checkoutOrigin: must be https, or http on loopback, without a path')
  }
  if (settings.checkoutOrigin && settings.checkoutOrigin !== checkoutOrigin) {
    throw new TypeError(`checkoutOrigin: this page has ${settings.checkoutOrigin} already`)
  }
  return { checkoutOrigin }
}
