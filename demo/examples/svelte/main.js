import { defineCheckout } from '@pi-checkout/element'
import { mount } from 'svelte'
import Checkout from './checkout.svelte'

defineCheckout({ checkoutOrigin: import.meta.env.VITE_CHECKOUT_ORIGIN })
mount(Checkout, { target: document.querySelector('#app') })
