/** Types of `<pi-checkout>` in Vue templates. Import `@pi-checkout/element/vue` once; it contains no code. @module */
import type { HTMLAttributes, PublicProps } from 'vue'
import type { PiCheckout } from '../checkout-element.ts'
import type { PiEventType } from '../events.ts'
import type { CheckoutAttributes, CheckoutValues, Handler } from './handlers.ts'

/** `pi-finish` becomes `onPiFinish`. */
type VueHandlers = {
  readonly [T in PiEventType as T extends `pi-${infer Name}` ? `onPi${Capitalize<Name>}` : never]?:
    | Handler<T>
    | undefined
}

/** Attributes and handlers in a template: `base-path="/checkout"`, `@pi-phase="…"`. */
export type PiCheckoutProps = HTMLAttributes &
  PublicProps &
  CheckoutValues &
  CheckoutAttributes &
  VueHandlers

declare module 'vue' {
  interface GlobalComponents {
    'pi-checkout': new () => PiCheckout & { readonly $props: PiCheckoutProps }
  }
}
