/** The shop's pages, and the forms on them. An order of another session is a page that does not exist. @module */
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { mostPerProduct, readCart, setCartLine } from './cart.ts'
import { findProduct } from './catalogue.ts'
import { currentDetails, isPayable } from './order-details.ts'
import { newestOrder, type Order, ownedOrder } from './orders.ts'
import { closeOrder, placeOrder } from './place-order.ts'
import { ShopProblem } from './problem.ts'
import { sendPage } from './send-page.ts'
import type { Shop } from './shop.ts'
import { aboutPage } from './views/about-page.ts'
import { cartPage } from './views/cart-page.ts'
import { cataloguePage } from './views/catalogue-page.ts'
import type { Page } from './views/layout.ts'
import { orderPage } from './views/order-page.ts'
import { payPage } from './views/pay-page.ts'

export function shopRoutes(shop: Shop): Router {
  const { db, sessions } = shop
  const routes = Router()
  routes.use(sessions.start)

  routes.get('/', (req, res) => {
    show(req, res, cataloguePage(readCart(db, sessions.of(req) ?? '')))
  })

  routes.get('/how-this-shop-takes-payments', (req, res) => {
    show(req, res, aboutPage())
  })

  routes.get('/cart', (req, res) => {
    const session = sessions.of(req) ?? ''
    show(req, res, cartPage(readCart(db, session), newestOrder(db, session)))
  })

  routes.post('/cart', (req, res) => {
    const { back, ...line } = CartChange.parse(req.body)
    if (!findProduct(line.product)) throw new ShopProblem('not_found')
    setCartLine(db, { session: sessionOf(req), ...line })
    res.redirect(303, `${back}#item-${line.product}`)
  })

  // "Check out"
  routes.post('/orders', (req, res) => {
    const orderId = placeOrder(db, sessionOf(req))
    res.redirect(303, orderId === undefined ? '/cart' : `/pay/${orderId}`)
  })

  routes.get('/orders/:id', async (req, res) => {
    show(req, res, orderPage(await currentDetails(shop, orderOf(req))))
  })

  // "Edit order". A payment that was just made keeps its order.
  routes.post('/orders/:id/edit', async (req, res) => {
    const details = await currentDetails(shop, orderOf(req))
    const { id } = details.order
    if (details.state === 'closed') return res.redirect(303, '/cart')
    if (!isPayable(details)) return res.redirect(303, `/orders/${id}`)
    if (!details.isKnown) throw new ShopProblem('payment_unknown')
    closeOrder(db, id)
    res.redirect(303, '/cart')
  })

  // A buyer who returns from the bank's page, or from the full page, may have paid.
  routes.get('/pay/:id', async (req, res) => {
    const details = await currentDetails(shop, orderOf(req))
    if (details.state === 'closed') return res.redirect(303, '/cart')
    if (!isPayable(details)) return res.redirect(303, `/orders/${details.order.id}`)
    show(req, res, payPage(details))
  })

  return routes

  function show(req: Request, res: Response, page: Page): void {
    sendPage(shop, { req, res, page })
  }

  function sessionOf(req: Request): string {
    const session = sessions.of(req)
    if (session === undefined) throw new ShopProblem('no_session')
    return session
  }

  function orderOf(req: Request): Order {
    const session = sessions.of(req) ?? ''
    const order = ownedOrder(db, { session, orderId: String(req.params.id) })
    if (!order) throw new ShopProblem('order_not_found')
    return order
  }
}

const CartChange = z.strictObject({
  product: z.string(),
  quantity: z.string().regex(/^\d+$/).transform(Number).pipe(z.number().max(mostPerProduct)),
  back: z.enum(['/', '/cart']).default('/cart'),
})
