/** The self-contained file, which the checkout serves: its own address is the checkout's origin. @module */
import { defineCheckout } from './define-checkout.ts'

export * from './client/index.ts'
export * from './index.ts'

defineCheckout({ checkoutOrigin: new URL(import.meta.url).origin })
