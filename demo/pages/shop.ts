/**
 * The pages on which nothing is paid: catalogue, cart, orders, one order.
 *
 * @module
 */
import { AskError } from './ask.ts'
import { showCart } from './cart-page.ts'
import { showCatalogue } from './catalogue-page.ts'
import { showOrder } from './order-page.ts'
import { showOrders } from './orders-page.ts'
import { openPage } from './page.ts'

void openPage(() => {
  // The server knows it already: asking once more would only say so again.
  if (document.documentElement.hasAttribute('data-missing')) throw new AskError(404)
  const { pathname } = location
  const orderId = /^\/orders\/([^/]+)$/.exec(pathname)?.[1]
  if (orderId) return showOrder(orderId)
  if (pathname === '/') return showCatalogue()
  if (pathname === '/cart') return showCart()
  if (pathname === '/orders') return showOrders()
  throw new AskError(404)
})
