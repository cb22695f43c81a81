/** Registers tags for checkouts: one tag for each origin. @module */
import { PiCheckout } from './checkout-element.ts'
import { originOf, setOrigin } from './origin.ts'

declare global {
  interface HTMLElementTagNameMap {
    'pi-checkout': PiCheckout
  }
}

const defaultTag = 'pi-checkout'

/** One tag and its checkout. */
export interface CheckoutDefinition {
  /**
   * Name of the tag, with a dash.
   *
   * @default 'pi-checkout'
   */
  readonly tag?: string
  /** Origin of the checkout: https, or http on loopback, without a path. A trailing slash is a path. */
  readonly checkoutOrigin: string
}

/**
 * Registers a tag for the checkout of one origin. Another origin on the same page needs another tag.
 *
 * A tag that is registered already, also by another copy of this code, only receives its origin.
 *
 * @param definition - `tag` and `checkoutOrigin`.
 * @throws {TypeError} If `checkoutOrigin` is not an origin, the tag has another one, or is no name for this element.
 * @example
 * defineCheckout({ checkoutOrigin: 'https://pay.example' }) // <pi-checkout>
 * defineCheckout({ tag: 'acme-checkout', checkoutOrigin: 'https://pay.acme.example' })
 */
export function defineCheckout({ tag = defaultTag, checkoutOrigin }: CheckoutDefinition): void {
  const registered = classOf(tag)
  const type = registered ?? (tag === defaultTag ? PiCheckout : class extends PiCheckout {})
  setOrigin(type, checkoutOrigin)
  if (registered) return
  try {
    globalThis.customElements?.define(tag, type)
  } catch (cause) {
    throw new TypeError(
      `tag: must be lower case with a dash, such as acme-checkout; received ${JSON.stringify(tag)}`,
      { cause },
    )
  }
}

/**
 * Sets the checkout's origin of `<pi-checkout>`, which `./define` or `./react` registers.
 *
 * Call it once, before the first mount. Another call with the same origin has no effect.
 *
 * @param options - `checkoutOrigin`, as in `defineCheckout`.
 * @throws {TypeError} If `checkoutOrigin` is not an origin, or differs from the one that is configured.
 * @example
 * configureCheckout({ checkoutOrigin: 'https://pay.example' })
 */
export function configureCheckout({
  checkoutOrigin,
}: Pick<CheckoutDefinition, 'checkoutOrigin'>): void {
  setOrigin(classOf(defaultTag) ?? PiCheckout, checkoutOrigin)
}

/** Registers `<pi-checkout>`. If another copy of this code has done so, passes it the origin. */
export function registerDefaultTag(): void {
  const registered = classOf(defaultTag)
  if (!registered) globalThis.customElements?.define(defaultTag, PiCheckout)
  else if (registered !== PiCheckout && originOf(PiCheckout)) {
    setOrigin(registered, originOf(PiCheckout))
  }
}

/**
 * Returns the class of a tag, perhaps of another copy of this code.
 *
 * @throws {TypeError} If it is another element.
 */
function classOf(tag: string): CustomElementConstructor | undefined {
  const registered = globalThis.customElements?.get(tag)
  if (registered && !('fetchHandoff' in registered.prototype)) {
    throw new TypeError(`tag: <${tag}> is registered by another element. Define another tag`)
  }
  return registered
}
