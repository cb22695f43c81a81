/** The appearance that a script has set for the class of a tag. @module */
import type { Appearance } from '@pi-checkout/contract/frame-protocol'

export type { Appearance, AppearanceColor } from '@pi-checkout/contract/frame-protocol'

/** In the registry of symbols, because two copies of this code on one page share the registered tag. */
const key = Symbol.for('pi-checkout.appearance')

/** A class of checkouts, perhaps of another copy of this code. */
type CheckoutClass = (abstract new () => HTMLElement) & { [key]?: Appearance | undefined }

/** Returns the appearance of a class, or `undefined` if none is set. */
export function appearanceOf(type: CheckoutClass): Appearance | undefined {
  return type[key]
}

/** Sets the appearance of a class. */
export function setAppearance(type: CheckoutClass, appearance: Appearance | undefined): void {
  if (appearance) type[key] = appearance
}
