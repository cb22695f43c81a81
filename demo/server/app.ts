/** The shop as one Express application: headers, then the checkout, the shop's API, and the pages. @module */
import { toExpress } from '@pi-checkout/server/express'
import express, { type Express } from 'express'
import { shopApi } from './api.ts'
import { securityHeaders } from './headers.ts'
import { handoffLimits } from './limits.ts'
import { shopPages } from './pages.ts'
import { respondWithProblem, ShopProblem } from './problem.ts'
import { policyReports } from './reports.ts'
import { redirectToOrigin, sameOrigin } from './same-origin.ts'
import type { Shop } from './shop.ts'

export function shopApp(shop: Shop): Express {
  const { shopOrigin, checkoutOrigin } = shop
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)

  app.use(securityHeaders({ shopOrigin, checkoutOrigin }))
  app.use('/reports', policyReports())
  app.use(sameOrigin(shopOrigin))
  app.use('/checkout/handoff', handoffLimits(shop.sessions))
  app.use('/checkout', toExpress(shop.checkout))
  app.get('/checkout-origin.js', (_req, res) => {
    const line = `export const checkoutOrigin = ${JSON.stringify(checkoutOrigin)}\n`
    res.type('text/javascript').send(line)
  })
  app.use('/api', shopApi(shop))
  app.use(redirectToOrigin(shopOrigin), shopPages(shop))
  app.use(() => {
    throw new ShopProblem('not_found')
  })
  app.use(respondWithProblem)
  return app
}
