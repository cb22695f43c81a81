/**
 * The origin of the checkout, bound to the class of a tag by a script, never read from the document.
 *
 * Markup can be injected, and would send the secret to another host.
 *
 * @module
 */
import { readOrigin } from '@pi-checkout/contract/origin'

/** In the registry of symbols, because two copies of this code on one page share the registered tag. */
const key = Symbol.for('pi-checkout.origin')

/** A class of checkouts, perhaps of another copy of this code. */
type CheckoutClass = (abstract new () => HTMLElement) & { [key]?: string }

/** Returns the origin of a class, or `undefined` if none is set. */
export function originOf(type: CheckoutClass): string | undefined {
  return type[key]
}

/**
 * Sets the origin of a class.
 *
 * @throws {TypeError} If it is not an origin, or the class has another one.
 */
export function setOrigin(type: CheckoutClass, checkoutOrigin: unknown): void {
  const origin = readOrigin(checkoutOrigin)
  if (!origin) {
    throw new TypeError(
      'checkoutOrigin: must be https, or http on loopback, without a path, such as https://pay.example',
    )
  }
  const existing = Object.hasOwn(type, key) && type[key]
  if (existing && existing !== origin) {
    throw new TypeError(`checkoutOrigin: the tag already has ${existing}. Define another tag`)
  }
  type[key] = origin
}
