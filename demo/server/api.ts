/** The private API of the shop's pages: catalogue, cart, orders, preferences. It contains no payment. @module */
import express, { type Request, Router } from 'express'
import { z } from 'zod'
import { mostPerProduct, setCartLine } from './cart.ts'
import { findProduct, languages, priceLists } from './catalogue.ts'
import { settleLimits } from './limits.ts'
import { type Order, ownedOrder } from './orders.ts'
import { placeOrder } from './place-order.ts'
import { preferencesOf, savePreferences } from './preferences.ts'
import { ShopProblem } from './problem.ts'
import { retrieveOpenIntents, settleNow } from './settle.ts'
import type { Shop } from './shop.ts'
import { cartData, catalogueData, orderData, ordersData, type Visitor } from './views.ts'

/** Creates the routes under `/api`. Each returns all data of its page. */
export function shopApi(shop: Shop): Router {
  const { db } = shop
  const api = Router({ caseSensitive: true, strict: true })
  api.use(express.json({ limit: '4kb', inflate: false }))

  api.get('/catalogue', (req, res) => {
    res.json(catalogueData(db, visitorOf(shop, req)))
  })

  api.get('/cart', (req, res) => {
    res.json(cartData(db, visitorOf(shop, req)))
  })

  api.put('/cart/:product', (req, res) => {
    const visitor = visitorOf(shop, req)
    const { product } = req.params
    if (!findProduct(product)) throw new ShopProblem('not_found')
    const { quantity, was } = read(CartLine, req)
    const line = { session: visitor.session, product, quantity, was }
    if (!setCartLine(db, line)) throw new ShopProblem('cart_changed')
    res.json(cartData(db, visitor))
  })

  api.put('/preferences', (req, res) => {
    const { session } = visitorOf(shop, req)
    savePreferences(db, session, read(Preferences, req))
    res.status(204).end()
  })

  api.get('/orders', (req, res) => {
    res.json(ordersData(db, visitorOf(shop, req)))
  })

  api.post('/orders', async (req, res) => {
    const { session, currency } = visitorOf(shop, req)
    read(z.strictObject({}), req)
    // It may have just been paid, in a tab that was closed.
    const areIntentsKnown = await retrieveOpenIntents(shop, session)
    res.status(201).json({ orderId: placeOrder(db, { session, currency, areIntentsKnown }) })
  })

  api.get('/orders/:id', (req, res) => {
    const visitor = visitorOf(shop, req)
    res.json(orderData(db, visitor, orderOf(shop, { visitor, orderId: req.params.id })))
  })

  // For a buyer who returns: retrieves the order's intents directly, old ones too.
  api.post('/orders/:id/settle', ...settleLimits(shop.sessions), async (req, res) => {
    const visitor = visitorOf(shop, req)
    const orderId = String(req.params.id)
    orderOf(shop, { visitor, orderId })
    await settleNow(shop, { orderId })
    res.json(orderData(db, visitor, orderOf(shop, { visitor, orderId })))
  })

  api.use(() => {
    throw new ShopProblem('not_found')
  })
  return api
}

const Quantity = z.int().min(0).max(mostPerProduct)

/** `was`: the quantity that the page shows. Another page, or a payment, may have changed it. */
const CartLine = z.strictObject({ quantity: Quantity, was: Quantity.optional() })

const Preferences = z.strictObject({
  language: z.enum(languages).optional(),
  currency: z.enum(priceLists).optional(),
})

function visitorOf({ db, sessions, inspectorUrl }: Shop, req: Request): Visitor {
  const session = sessions.of(req)
  if (session === undefined) {
    throw new ShopProblem('no_session', { detail: 'Open a page of the shop first: it sets one.' })
  }
  return { session, inspectorUrl, ...preferencesOf(db, req, session) }
}

function orderOf(
  { db }: Shop,
  { visitor, orderId }: { readonly visitor: Visitor; readonly orderId: string },
): Order {
  const order = ownedOrder(db, { session: visitor.session, orderId })
  if (!order) throw new ShopProblem('not_found')
  return order
}

function read<T>(schema: z.ZodType<T>, req: Request): T {
  const body = schema.safeParse(req.body)
  if (body.success) return body.data
  const [issue] = body.error.issues
  const field = issue?.path.join('.') || 'body'
  throw new ShopProblem('invalid_request', { detail: `${field}: ${issue?.message}` })
}
