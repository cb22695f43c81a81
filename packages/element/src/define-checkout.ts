/** Registers tags for checkouts: one tag for each origin. @module */
import { type Appearance, appearanceOf, setAppearance } from './appearance.ts'
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
  /**
   * Look of the hosted page, for elements that have no `appearance`.
   *
   * @default The look of the checkout
   */
  readonly appearance?: Appearance | undefined
}

/**
 * Registers a tag for the checkout of one origin. Another origin on the same page needs another tag.
 *
 * A tag that is registered already, also by another copy of this code, only receives its origin.
 *
 * @param definition - `tag`, `checkoutOrigin`, and `appearance`.
 * @throws {TypeError} If `checkoutOrigin` is not an origin, the tag has another one, or is no name for this element.
 * @example
 * defineCheckout({ checkoutOrigin: 'https://pay.example' }) // <pi-checkout>
 * defineCheckout({ tag: 'acme-checkout', checkoutOrigin: 'https://pay.acme.example' })
 */
export function defineCheckout({
  tag = defaultTag,
  checkoutOrigin,
  appearance,
}: CheckoutDefinition): void {
  const registered = classOf(tag)
  const type = registered ?? (tag === defaultTag ? PiCheckout : class extends PiCheckout {})
  setOrigin(type, checkoutOrigin)
  setAppearance(type, appearance)
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
 * Sets origin and appearance of `<pi-checkout>`, which `./define`, `./react`, or the checkout's own file registers.
 *
 * Call it once, before the first mount.
 *
 * @param options - `checkoutOrigin` and `appearance`, as in `defineCheckout`. The checkout's own file knows its origin.
 * @throws {TypeError} If `checkoutOrigin` is not an origin, or differs from the one that is configured.
 * @example
 * configureCheckout({ checkoutOrigin: 'https://pay.example', appearance: { accent: '#ad4318' } })
 */
export function configureCheckout({
  checkoutOrigin,
  appearance,
}: Partial<Omit<CheckoutDefinition, 'tag'>>): void {
  const type = classOf(defaultTag) ?? PiCheckout
  if (checkoutOrigin !== undefined || !appearance) setOrigin(type, checkoutOrigin)
  setAppearance(type, appearance)
}

/** Registers `<pi-checkout>`. If another copy of this code has done so, passes it origin and appearance. */
export function registerDefaultTag(): void {
  const registered = classOf(defaultTag)
  if (!registered) globalThis.customElements?.define(defaultTag, PiCheckout)
  else if (registered !== PiCheckout && originOf(PiCheckout)) {
    setOrigin(registered, originOf(PiCheckout))
    setAppearance(registered, appearanceOf(PiCheckout))
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
