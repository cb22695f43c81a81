/** The shop's pages, and the forms on them. An order of another session is a page that does not exist. @module */
import { join } from 'node:path'
import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  Router,
} from 'express'
import { z } from 'zod'
import { texts } from '../texts/texts.ts'
import { builtPages, readAssets } from './assets.ts'
import { mostPerProduct, readCart, setCartLine } from './cart.ts'
import { findProduct, languages, priceLists } from './catalogue.ts'
import { retrieveOpenIntents, settleNow } from './checkout.ts'
import { settleLimits } from './limits.ts'
import { type OrderDetails, orderDetails } from './order-intents.ts'
import { orderLines, ordersOf, ownedOrder, unpaidOrder } from './orders.ts'
import { placeOrder } from './place-order.ts'
import { preferencesOf, savePreferences } from './preferences.ts'
import { asProblem, logFailure, ShopProblem } from './problem.ts'
import type { Shop } from './shop.ts'
import { cartPage } from './views/cart-page.ts'
import { cataloguePage } from './views/catalogue-page.ts'
import { type Frame, type Page, renderPage } from './views/layout.ts'
import { errorPage, missingPage } from './views/message-page.ts'
import { orderPage } from './views/order-page.ts'
import { ordersPage } from './views/orders-page.ts'
import { confirmingPage, payPage } from './views/payment-pages.ts'

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

  routes.get('/cart', (req, res) => {
    const unpaid = unpaidOrder(db, sessions.of(req) ?? '')
    show(req, res, (frame) => cartPage(frame, unpaid))
  })

  routes.post('/cart', (req, res) => {
    const { product, quantity, was, back } = read(CartChange, req)
    if (!findProduct(product)) throw new ShopProblem('not_found')
    const isSet = setCartLine(db, { session: sessionOf(req), product, quantity, was })
    // If another page or a payment has changed the cart, the page shows it as it is.
    res.redirect(303, isSet ? back : `${back}#content`)
  })

  routes.post('/preferences', (req, res) => {
    const { back, ...preferences } = read(Preferences, req)
    savePreferences(db, sessionOf(req), preferences)
    res.redirect(303, back)
  })

  routes.get('/orders', (req, res) => {
    const orders = ordersOf(db, sessions.of(req) ?? '')
    const listed = orders.map((order) => ({ order, lines: orderLines(db, order.id) }))
    show(req, res, (frame) => ordersPage(frame, listed))
  })

  // "Check out". The order may have just been paid, in a tab that was closed.
  routes.post('/orders', async (req, res) => {
    read(z.strictObject({}), req)
    const session = sessionOf(req)
    const { currency } = preferencesOf(db, req, session)
    const areIntentsKnown = await retrieveOpenIntents(shop, session)
    const orderId = placeOrder(db, { session, currency, areIntentsKnown })
    res.redirect(303, orderId === undefined ? '/cart' : `/pay/${orderId}`)
  })

  routes.get('/orders/:id', (req, res) => {
    const details = detailsOf(req)
    show(req, res, (frame) => orderPage(frame, details), details)
  })

  // For a buyer who returns: retrieves the order's intents directly, old ones too.
  routes.post('/orders/:id/settle', ...settleLimits(sessions), async (req, res) => {
    const { order } = detailsOf(req)
    await settleNow(shop, { orderId: order.id })
    res.redirect(303, `/orders/${order.id}`)
  })

  routes.get('/pay/:id', (req, res) => {
    const details = detailsOf(req)
    const { id, state } = details.order
    if (state === 'paid') return res.redirect(303, `/orders/${id}`)
    if (state === 'processing') return res.redirect(303, `/confirming/${id}`)
    if (!details.payable) return res.redirect(303, '/cart')
    show(req, res, (frame) => payPage(frame, details), details)
  })

  routes.get('/confirming/:id', (req, res) => {
    const details = detailsOf(req)
    const { id, state } = details.order
    if (state !== 'open' && state !== 'processing') return res.redirect(303, `/orders/${id}`)
    show(req, res, (frame) => confirmingPage(frame, details), details)
  })

  routes.get('/{*rest}', () => {
    throw new ShopProblem('not_found')
  })
  const showError: ErrorRequestHandler = (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error)
    const { code, status } = asProblem(error)
    if (code === 'internal_error') logFailure('a request failed', error)
    res.status(status)
    show(req, res, (frame) => (status === 404 ? missingPage(frame) : errorPage(frame, status)))
  }
  routes.use(showError)
  return routes

  function show(
    req: Request,
    res: Response,
    page: (frame: Frame) => Page,
    details?: OrderDetails,
  ): void {
    // A new visitor gets a session with this page.
    const session = sessions.of(req) ?? ''
    const { shopOrigin, checkoutOrigin, inspectorUrl } = shop
    const { language, currency } = preferencesOf(db, req, session)
    const intent = details?.order.intent
    const cart = readCart(db, { session, currency })
    const frame = {
      ...{ language, currency, texts: texts[language], cart },
      ...{ path: req.path, shopOrigin, checkoutOrigin, assets },
      inspectorUrl: inspectorUrl && intent ? `${inspectorUrl}#/intents/${intent}` : inspectorUrl,
    }
    res.type('html').send(renderPage(frame, page(frame)))
  }

  function sessionOf(req: Request): string {
    const session = sessions.of(req)
    if (session === undefined) throw new ShopProblem('no_session')
    return session
  }

  function detailsOf(req: Request): OrderDetails {
    const session = sessions.of(req)
    const orderId = String(req.params.id)
    const order = session === undefined ? undefined : ownedOrder(db, { session, orderId })
    if (!order) throw new ShopProblem('not_found')
    return orderDetails(db, order)
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
const Back = z.string().regex(/^\/(?:[\w-]+(?:\/[\w-]+)?)?$/)

/** `was`: the quantity that the page shows. Another page, or a payment, may have changed it. */
const CartChange = z.strictObject({
  product: z.string(),
  quantity: Quantity,
  was: Quantity.optional(),
  back: Back.default('/cart'),
})

const Preferences = z.strictObject({
  language: z.enum(languages).optional(),
  currency: z.enum(priceLists).optional(),
  back: Back.default('/'),
})

function read<T>(schema: z.ZodType<T>, req: Request): T {
  const form = schema.safeParse(req.body ?? {})
  if (!form.success) throw new ShopProblem('invalid_request')
  return form.data
}
