/** The shop as one Express application: headers, then the checkout, the pages, and their forms. @module */
import { fileURLToPath } from 'node:url'
import { toNode } from '@pi-checkout/server/node'
import express, { type Express, type Response } from 'express'
import { demoFolder } from './config.ts'
import { errorHandler } from './error-handler.ts'
import { securityHeaders } from './headers.ts'
import { ShopProblem } from './problem.ts'
import { shopRoutes } from './routes.ts'
import { sameOrigin } from './same-origin.ts'
import type { Shop } from './shop.ts'
import { staffRoutes } from './staff.ts'

export function shopApp(shop: Shop): Express {
  const app = express()
  app.disable('x-powered-by')
  app.use(securityHeaders(shop))
  app.use(sameOrigin(shop.shopOrigin))
  app.use(toNode(shop.checkout))
  app.use(express.static(publicFolder, { setHeaders }))
  app.use(express.urlencoded({ extended: false, limit: '4kb', inflate: false }))
  app.use('/staff', staffRoutes(shop))
  app.use(shopRoutes(shop))
  app.use(() => {
    throw new ShopProblem('not_found')
  })
  app.use(errorHandler(shop))
  return app
}

const publicFolder = fileURLToPath(new URL('public', demoFolder))

/** Browsers keep public files for five minutes, so that the payment page waits for none. */
function setHeaders(res: Response): void {
  res.set('Cache-Control', 'public, max-age=300')
}
