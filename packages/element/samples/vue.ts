/** A shop's checkout page in Vue. @module */
import { defineCheckout } from '@pi-checkout/element'
import { createApp } from 'vue'
import Checkout from './shop-checkout.vue'

export function start(root: HTMLElement, checkoutOrigin: string): void {
  defineCheckout({ checkoutOrigin })
  createApp(Checkout).mount(root)
}
