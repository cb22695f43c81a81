/** Pages for the staff, behind their own login: payments that a person decides about. @module */
import { createHash, timingSafeEqual } from 'node:crypto'
import { InvalidParamsError } from '@pi-checkout/server'
import { type RequestHandler, Router } from 'express'
import { rateLimit } from 'express-rate-limit'
import { z } from 'zod'
import { orderDetails } from './order-details.ts'
import { reviewedOrders } from './orders.ts'
import { ShopProblem } from './problem.ts'
import { sendPage } from './send-page.ts'
import type { Shop } from './shop.ts'
import { staffPage } from './views/staff-page.ts'

export const staffUser = 'staff'

export function staffRoutes(shop: Shop): Router {
  const routes = Router()
  routes.use(passwordLimit(), staffOnly(shop.staffPassword))

  routes.get('/', async (req, res) => {
    const orders = reviewedOrders(shop.db).map((order) => orderDetails(shop, order))
    const undecided = (await Promise.all(orders)).filter((order) => order.underReview.length > 0)
    sendPage(shop, { req, res, page: staffPage(undecided, shop.inspectorUrl) })
  })

  // Another page may have decided before, or another payment pays for the order now. The list shows what is left.
  routes.post('/', async (req, res) => {
    const { decision, ...payment } = Decision.parse(req.body)
    await shop.checkout.resolve(payment, decision).catch((error: unknown) => {
      if (!(error instanceof InvalidParamsError)) throw error
    })
    res.redirect(303, '/staff')
  })

  return routes
}

const Decision = z.strictObject({
  orderId: z.string(),
  intentId: z.string(),
  decision: z.enum(['accepted', 'refunded']),
})

/** Ten wrong passwords of all clients in ten minutes. */
function passwordLimit(): RequestHandler {
  return rateLimit({
    windowMs: 10 * 60_000,
    limit: 10,
    keyGenerator: () => 'staff',
    skip: (req) => req.get('authorization') === undefined,
    requestWasSuccessful: (_req, res) => res.statusCode !== 401,
    skipSuccessfulRequests: true,
  })
}

/** HTTP Basic authentication. A browser sends the password to these pages only. */
function staffOnly(password: string): RequestHandler {
  const expected = hash(`${staffUser}:${password}`)
  return (req, res, next) => {
    const [, sent = ''] = /^Basic ([\w+/=]{1,400})$/i.exec(req.get('authorization') ?? '') ?? []
    // Hashes have one length, and are compared in constant time.
    if (timingSafeEqual(hash(Buffer.from(sent, 'base64').toString()), expected)) return next()
    res.set('WWW-Authenticate', 'Basic realm="Staff of the shop", charset="UTF-8"')
    throw new ShopProblem('unauthorized')
  }
}

function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
