// In vite.config.js: vue({ template: { compilerOptions: { isCustomElement: (tag) => tag === 'pi-checkout' } } })
import { configureCheckout } from '@pi-checkout/element'
import { createApp } from 'vue'
import Checkout from './checkout.vue'

configureCheckout({ checkoutOrigin: import.meta.env.VITE_CHECKOUT_ORIGIN })
createApp(Checkout).mount('#app')
