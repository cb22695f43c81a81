/** Registers `<pi-checkout>`, in browsers only. A page that runs this code twice keeps the first class. @module */
import { PiCheckout } from './checkout-element.ts'

const { customElements: registry } = globalThis
if (!registry?.get('pi-checkout')) registry?.define('pi-checkout', PiCheckout)
