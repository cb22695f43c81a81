/** Types of `<pi-checkout>` in Svelte 5. Import `@pi-checkout/element/svelte` once; it contains no code. @module */
import type { HTMLAttributes } from 'svelte/elements'
import type { PiCheckout } from '../checkout-element.ts'
import type { AttributeHandlers, CheckoutValues } from './handlers.ts'

/** Values and handlers in markup: `clientSecret={…}`, `onpi-finish={…}`. */
export interface PiCheckoutAttributes
  extends HTMLAttributes<PiCheckout>,
    CheckoutValues,
    AttributeHandlers {
  /** Secret of that intent. */
  readonly clientSecret?: string | null | undefined
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pi-checkout': PiCheckoutAttributes
  }
}
