/** A shop's checkout page in Svelte. @module */
import { defineCheckout } from '@pi-checkout/element'
import { mount } from 'svelte'
import Checkout from './checkout.svelte'

export function start(root: HTMLElement, checkoutOrigin: string): void {
  defineCheckout({ checkoutOrigin })
  mount(Checkout, { target: root })
}
