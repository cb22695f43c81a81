/**
 * Types of `<pi-checkout>` in Svelte 5: `import '@pi-checkout/element/svelte'` once, for them alone.
 *
 * @module
 */
import type { HTMLAttributes } from 'svelte/elements'
import type { PiCheckout } from './checkout-element.ts'

/** Values and handlers in markup: `clientSecret={…}`, `onpi-finish={…}`. */
export interface PiCheckoutAttributes extends HTMLAttributes<PiCheckout> {
  readonly intentId?: string | null | undefined
  readonly clientSecret?: string | null | undefined
  readonly label?: string | null | undefined
  readonly locale?: string | null | undefined
  readonly 'onpi-ready'?: ((event: HTMLElementEventMap['pi-ready']) => void) | undefined
  readonly 'onpi-statechange'?: ((event: HTMLElementEventMap['pi-statechange']) => void) | undefined
  readonly 'onpi-leave'?: ((event: HTMLElementEventMap['pi-leave']) => void) | undefined
  readonly 'onpi-finish'?: ((event: HTMLElementEventMap['pi-finish']) => void) | undefined
  readonly 'onpi-cancel'?: ((event: HTMLElementEventMap['pi-cancel']) => void) | undefined
  readonly 'onpi-error'?: ((event: HTMLElementEventMap['pi-error']) => void) | undefined
}

declare module 'svelte/elements' {
  interface SvelteHTMLElements {
    'pi-checkout': PiCheckoutAttributes
  }
}
