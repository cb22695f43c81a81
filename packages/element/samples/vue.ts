/**
 * A shop's checkout page in Vue.
 *
 * @module
 */
import { configureCheckout } from '@pi-checkout/element'
import { createApp } from 'vue'
import Checkout from './shop-checkout.vue'

export function start(root: HTMLElement, origin: string): void {
  configureCheckout({ origin })
  createApp(Checkout).mount(root)
}
