import { order } from '../lib/server/shop.js'

/** For each request: the variable belongs to the running shop. */
export const load = () => ({
  paid: order.paid ?? false,
  checkoutOrigin: process.env.PI_CHECKOUT_ORIGIN,
})
