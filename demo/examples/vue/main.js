// In vite.config.js: vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'pi-checkout' } } })
import { defineCheckout } from '@pi-checkout/element'
import { createApp } from 'vue'
import Checkout from './checkout.vue'

defineCheckout({ checkoutOrigin: import.meta.env.VITE_CHECKOUT_ORIGIN })
createApp(Checkout).mount('#app')
