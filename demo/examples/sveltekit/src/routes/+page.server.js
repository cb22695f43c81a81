import { order } from '../lib/server/shop.js'

/** For each request: the variable belongs to the running shop. */
export const load = () => ({
  paid: order.paidBy !== undefined,
  checkoutOrigin: process.env.PI_CHECKOUT_ORIGIN,
})
