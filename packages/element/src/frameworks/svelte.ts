/** Types of `<pi-checkout>` in Svelte 5. Import `@pi-checkout/element/svelte` once; it contains no code. @module */
import type { HTMLAttributes } from 'svelte/elements'
import type { PiCheckout } from '../checkout-element.ts'
import type { AttributeHandlers, CheckoutValues } from './handlers.ts'

/** Values and handlers in markup: `fetchHandoff={…}`, `onpi-finish={…}`. */
export interface PiCheckoutAttributes
  extends HTMLAttributes<PiCheckout>,
    CheckoutValues,
    AttributeHandlers {}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pi-checkout': PiCheckoutAttributes
  }
}
