/**
 * Registers `<pi-checkout>`, unless a copy of this code did so already.
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
