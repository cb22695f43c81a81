/** The shop as one Express application: headers, then the checkout, the pages, and their forms. @module */
import { toNode } from '@pi-checkout/server/node'
import compression from 'compression'
import express, { type Express } from 'express'
import { securityHeaders } from './headers.ts'
import { handoffLimit } from './limits.ts'
import { respondWithProblem, ShopProblem } from './problem.ts'
import { policyReports } from './reports.ts'
import { shopRoutes } from './routes.ts'
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
  app.use(['/checkout/handoff', '/checkout/start'], handoffLimit(shop))
  app.use(toNode(shop.checkout))
  // After the checkout, whose responses contain a secret.
  app.use(compression(), redirectToOrigin(shopOrigin), shopRoutes(shop))
  app.use(() => {
    throw new ShopProblem('not_found')
  })
  app.use(respondWithProblem)
  return app
}
