/**
 * Registers `<pi-checkout>`, unless another copy of this code has registered it.
 *
 * @module
 */
import { PiCheckout } from './checkout-element.ts'

declare global {
  interface HTMLElementTagNameMap {
    'pi-checkout': PiCheckout
  }
}

if (globalThis.customElements && !customElements.get('pi-checkout')) {
  customElements.define('pi-checkout', PiCheckout)
}
