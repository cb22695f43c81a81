/** The self-contained file, which the checkout serves: its own address is the checkout's origin. @module */
import { configureCheckout } from './configure-checkout.ts'

export { getStatus } from './client/fetch-status.ts'
export { postHandoff } from './client/post-handoff.ts'
export { ShopError } from './client/shop-error.ts'
export * from './index.ts'

configureCheckout({ checkoutOrigin: new URL(import.meta.url).origin })
