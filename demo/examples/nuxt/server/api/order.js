import { order } from '../utils/shop.js'

/** For each request: the variable belongs to the running shop. */
export default defineEventHandler(() => ({
  paid: order.paid ?? false,
  checkoutOrigin: process.env.PI_CHECKOUT_ORIGIN,
}))
