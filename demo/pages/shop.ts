/** The pages without a payment: catalogue, cart, orders, one order. @module */

import { showCart } from './cart-page.ts'
import { showCatalogue } from './catalogue-page.ts'
import { showOrder } from './order-page.ts'
import { showOrders } from './orders-page.ts'
import { openPage } from './page.ts'
import { RequestError } from './request.ts'

void openPage(() => {
  // The server has already found that the page does not exist.
  if (document.documentElement.hasAttribute('data-missing')) throw new RequestError(404)
  const { pathname } = location
  const orderId = /^\/orders\/([^/]+)$/.exec(pathname)?.[1]
  if (orderId) return showOrder(orderId)
  if (pathname === '/') return showCatalogue()
  if (pathname === '/cart') return showCart()
  if (pathname === '/orders') return showOrders()
  throw new RequestError(404)
})
