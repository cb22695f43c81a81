/** The self-contained file, which the checkout serves: its own address is the checkout's origin. @module */
import { configureCheckout } from './configure-checkout.ts'

export * from './client/index.ts'
export * from './index.ts'

configureCheckout({ checkoutOrigin: new URL(import.meta.url).origin })
