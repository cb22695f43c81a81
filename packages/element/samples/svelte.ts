/**
 * A shop's checkout page in Svelte.
 *
 * @module
 */
import { configureCheckout } from '@pi-checkout/element'
import { mount } from 'svelte'
import Checkout from './checkout.svelte'

export function start(root: HTMLElement, origin: string): void {
  configureCheckout({ origin })
  mount(Checkout, { target: root })
}
