/** Registers `<pi-checkout>`, in browsers only. A page that runs this code twice keeps the first class. @module */
import { PiCheckout } from './checkout-element.ts'

if (!globalThis.customElements?.get('pi-checkout')) {
  globalThis.customElements?.define('pi-checkout', PiCheckout)
}
