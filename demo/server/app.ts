/** The shop as one Express application: headers, then the checkout, the pages, and their forms. @module */
import { toNode } from '@pi-checkout/server/node'
import express, { type Express } from 'express'
import { errorHandler } from './error-handler.ts'
import { securityHeaders } from './headers.ts'
import { ShopProblem } from './problem.ts'
import { publicFiles } from './public-files.ts'
import { shopRoutes } from './routes.ts'
import { sameOrigin } from './same-origin.ts'
import type { Shop } from './shop.ts'
import { staffRoutes } from './staff.ts'

export function shopApp(shop: Shop): Express {
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)

  app.use(securityHeaders(shop))
  app.use(sameOrigin(shop.shopOrigin))
  app.use(toNode(shop.checkout))
  app.use(publicFiles)
  app.use(express.urlencoded({ extended: false, limit: '4kb', inflate: false }))
  app.use('/staff', staffRoutes(shop))
  app.use(shopRoutes(shop))
  app.use(() => {
    throw new ShopProblem('not_found')
  })
  app.use(errorHandler(shop))
  return app
}
