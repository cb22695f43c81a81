/** The shop's pages, and the forms on them. An order of another session is a page that does not exist. @module */
import { join } from 'node:path'
import express, {
  type ErrorRequestHandler,
  type Request as ExpressRequest,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { z } from 'zod'
import { texts } from '../texts/texts.ts'
import { builtPages, readAssets } from './assets.ts'
import { mostPerProduct, readCart, setCartLine } from './cart.ts'
import { findProduct, languages, priceLists } from './catalogue.ts'
import { isPayable, type OrderDetails, orderDetails } from './order-details.ts'
import { ordersOf, ownedOrder } from './orders.ts'
import { closeOrder, placeOrder } from './place-order.ts'
import { preferencesOf, savePreferences } from './preferences.ts'
import { asProblem, logFailure, ShopProblem } from './problem.ts'
import type { Shop } from './shop.ts'
import { cartPage } from './views/cart-page.ts'
import { cataloguePage } from './views/catalogue-page.ts'
import { type Frame, type Page, renderPage } from './views/layout.ts'
import { errorPage } from './views/message-page.ts'
import { orderPage } from './views/order-page.ts'
import { ordersPage } from './views/orders-page.ts'
import { payPage } from './views/payment-pages.ts'
import { reviewPage } from './views/review-page.ts'

export function shopRoutes(shop: Shop): Router {
  const { db, sessions } = shop
  const assets = readAssets()
  const routes = Router({ caseSensitive: true, strict: true })
  routes.use('/assets', files('assets', 'public, max-age=31536000, immutable'))
  routes.use('/pictures', files('pictures', 'public, max-age=3600'))
  routes.get('/favicon.ico', files('pictures', 'public, max-age=3600'))
  routes.use(sessions.start, express.urlencoded({ extended: false, limit: '4kb', inflate: false }))

  routes.get('/', (req, res) => {
    show(req, res, cataloguePage)
  })

  routes.get('/cart', async (req, res) => {
    const [newest] = ordersOf(db, sessions.of(req) ?? '')
    const details = newest && (await orderDetails(shop, newest))
    const unpaid = details && isPayable(details) ? newest : undefined
    show(req, res, (frame) => cartPage(frame, unpaid))
  })

  routes.post('/cart', (req, res) => {
    const { product, quantity, was, back } = read(CartChange, req)
    if (!findProduct(product)) throw new ShopProblem('not_found')
    const isSet = setCartLine(db, { session: sessionOf(req), product, quantity, was })
    // If another page or a payment has changed the cart, the page shows it as it is.
    res.redirect(303, `${back}#${isSet ? `item-${product}` : 'content'}`)
  })

  routes.post('/preferences', (req, res) => {
    const { back, ...preferences } = read(Preferences, req)
    savePreferences(db, sessionOf(req), preferences)
    res.redirect(303, back)
  })

  routes.get('/orders', async (req, res) => {
    const orders = ordersOf(db, sessions.of(req) ?? '')
    const listed = await Promise.all(orders.map((order) => orderDetails(shop, order)))
    show(req, res, (frame) => ordersPage(frame, listed))
  })

  // "Check out"
  routes.post('/orders', (req, res) => {
    read(Empty, req)
    const session = sessionOf(req)
    const { currency } = preferencesOf(db, req, session)
    const orderId = placeOrder(db, { session, currency })
    res.redirect(303, orderId === undefined ? '/cart' : `/pay/${orderId}`)
  })

  routes.get('/orders/:id', async (req, res) => {
    const details = await detailsOf(req)
    show(req, res, (frame) => orderPage(frame, details), details)
  })

  // "Edit cart". A payment that was just made keeps its order.
  routes.post('/orders/:id/edit', async (req, res) => {
    read(Empty, req)
    const { id } = (await detailsOf(req)).order
    const ok = await checkPayments(id)
    const details = await detailsOf(req)
    if (!isPayable(details)) {
      return res.redirect(303, details.state === 'closed' ? '/cart' : `/orders/${id}`)
    }
    if (!ok) throw new ShopProblem('payment_unknown')
    closeOrder(db, id)
    res.redirect(303, '/cart')
  })

  // For the staff. A shop has it behind their login.
  routes.get('/orders/:id/review', async (req, res) => {
    const details = await detailsOf(req)
    if (details.underReview.length === 0) return res.redirect(303, `/orders/${details.order.id}`)
    show(req, res, (frame) => reviewPage(frame, details), details)
  })

  routes.post('/orders/:id/review', async (req, res) => {
    const { intentId, decision } = read(Decision, req)
    const { order, underReview } = await detailsOf(req)
    if (underReview.some((payment) => payment.intentId === intentId)) {
      await shop.checkout.resolve({ orderId: order.id, intentId }, decision)
    }
    res.redirect(303, `/orders/${order.id}`)
  })

  routes.get('/pay/:id', async (req, res) => {
    // A buyer who returns from the bank's page may have paid.
    await checkPayments((await detailsOf(req)).order.id)
    const details = await detailsOf(req)
    const { order, state } = details
    if (state === 'closed') return res.redirect(303, '/cart')
    if (!isPayable(details)) return res.redirect(303, `/orders/${order.id}`)
    show(req, res, (frame) => payPage(frame, details), details)
  })

  routes.get('/{*rest}', () => {
    throw new ShopProblem('not_found')
  })
  const showError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error)
    const { code, status } = asProblem(error)
    if (code === 'internal_error') logFailure('a request failed', error)
    res.status(status)
    show(req, res, (frame) => errorPage(frame, code))
  }
  routes.use(showError)
  return routes

  function show(
    req: ExpressRequest,
    res: Response,
    page: (frame: Frame) => Page,
    details?: OrderDetails,
  ): void {
    // A new visitor gets a session with this page.
    const session = sessions.of(req) ?? ''
    const { shopOrigin, checkoutOrigin, inspectorUrl } = shop
    const { language, currency } = preferencesOf(db, req, session)
    const intent = details?.payments.at(-1)?.intentId
    const cart = readCart(db, { session, currency })
    const frame = {
      language,
      currency,
      texts: texts[language],
      cart,
      path: req.path,
      shopOrigin,
      checkoutOrigin,
      assets,
      inspectorUrl: inspectorUrl && intent ? `${inspectorUrl}#/intents/${intent}` : inspectorUrl,
    }
    res.type('html').send(renderPage(frame, page(frame)))
  }

  function sessionOf(req: ExpressRequest): string {
    const session = sessions.of(req)
    if (session === undefined) throw new ShopProblem('no_session')
    return session
  }

  async function detailsOf(req: ExpressRequest): Promise<OrderDetails> {
    const session = sessions.of(req)
    const orderId = String(req.params.id)
    const order = session === undefined ? undefined : ownedOrder(db, { session, orderId })
    if (!order) throw new ShopProblem('order_not_found')
    return orderDetails(shop, order)
  }

  /** Lets the checkout retrieve the payments of an order. Returns whether it could. */
  async function checkPayments(orderId: string): Promise<boolean> {
    try {
      await shop.checkout.status(orderId)
      return true
    } catch (error) {
      logFailure('the payments could not be checked', error)
      return false
    }
  }
}

/** Serves a folder of built files. `caching` replaces `no-store` of the pages. */
function files(folder: string, caching: string): RequestHandler {
  const setHeaders = (res: Response): void => void res.set('Cache-Control', caching)
  return express.static(join(builtPages, folder), { index: false, redirect: false, setHeaders })
}

const Quantity = z
  .string()
  .regex(/^\d{1,2}$/)
  .transform(Number)
  .refine((quantity) => quantity <= mostPerProduct)

/** The page with the form. */
const Back = z.string().regex(/^\/(?:[\w-]+(?:\/[\w-]+){0,2})?$/)

/** `was`: the quantity that the page shows. Another page, or a payment, may have changed it. */
const CartChange = z.strictObject({
  product: z.string(),
  quantity: Quantity,
  was: Quantity.optional(),
  back: Back.default('/cart'),
})

const Empty = z.strictObject({})

const Decision = z.strictObject({
  intentId: z.string(),
  decision: z.enum(['accepted', 'refunded']),
})

const Preferences = z.strictObject({
  language: z.enum(languages).optional(),
  currency: z.enum(priceLists).optional(),
  back: Back.default('/'),
})

function read<T>(schema: z.ZodType<T>, req: ExpressRequest): T {
  const form = schema.safeParse(req.body ?? {})
  if (!form.success) throw new ShopProblem('invalid_request')
  return form.data
}
