import { configureCheckout } from '@pi-checkout/element'
import { mount } from 'svelte'
import Checkout from './checkout.svelte'

configureCheckout({ checkoutOrigin: import.meta.env.VITE_CHECKOUT_ORIGIN })
mount(Checkout, { target: document.querySelector('#app') })
