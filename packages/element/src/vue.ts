/**
 * Types of `<pi-checkout>` in Vue templates: `import '@pi-checkout/element/vue'` once, for them alone.
 *
 * @module
 */
import type { HTMLAttributes, PublicProps } from 'vue'
import type { PiCheckout } from './checkout-element.ts'

/** Values and handlers in a template: `:clientSecret.prop="…"`, `@pi-finish="…"`. */
export type PiCheckoutProps = HTMLAttributes &
  PublicProps & {
    readonly intentId?: string | null | undefined
    readonly clientSecret?: string | null | undefined
    readonly label?: string | null | undefined
    readonly locale?: string | null | undefined
    readonly onPiReady?: ((event: HTMLElementEventMap['pi-ready']) => void) | undefined
    readonly onPiStatechange?: ((event: HTMLElementEventMap['pi-statechange']) => void) | undefined
    readonly onPiLeave?: ((event: HTMLElementEventMap['pi-leave']) => void) | undefined
    readonly onPiFinish?: ((event: HTMLElementEventMap['pi-finish']) => void) | undefined
    readonly onPiCancel?: ((event: HTMLElementEventMap['pi-cancel']) => void) | undefined
    readonly onPiError?: ((event: HTMLElementEventMap['pi-error']) => void) | undefined
  }

declare module 'vue' {
  interface GlobalComponents {
    'pi-checkout': new () => PiCheckout & { readonly $props: PiCheckoutProps }
  }
}
