/** Types of `<pi-checkout>` in Svelte 5. Import `@pi-checkout/element/svelte` once; it contains no code. @module */
import type { HTMLAttributes } from 'svelte/elements'
import type { PiCheckout } from '../checkout-element.ts'
import type { AttributeHandlers, CheckoutAttributes, CheckoutValues } from './handlers.ts'

/** Attributes and handlers in markup: `base-path="/checkout"`, `onpi-phase={…}`. */
export interface PiCheckoutAttributes
  extends HTMLAttributes<PiCheckout>,
    CheckoutValues,
    CheckoutAttributes,
    AttributeHandlers {}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pi-checkout': PiCheckoutAttributes
  }
}
