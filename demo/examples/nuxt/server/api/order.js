import { order } from '../utils/shop.js'

/** For each request: the variable belongs to the running shop. */
export default defineEventHandler(() => ({
  paid: order.paidBy !== undefined,
  checkoutOrigin: process.env.PI_CHECKOUT_ORIGIN,
}))
