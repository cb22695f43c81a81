/** Sends a page with what its header and footer show. @module */
import type { Request, Response } from 'express'
import { readCart } from './cart.ts'
import type { Shop } from './shop.ts'
import { type Page, renderPage } from './views/layout.ts'

export function sendPage(
  { db, sessions, checkoutOrigin, inspectorUrl }: Shop,
  { req, res, page }: { readonly req: Request; readonly res: Response; readonly page: Page },
): void {
  const lines = readCart(db, sessions.of(req) ?? '')
  const pieces = lines.reduce((sum, { quantity }) => sum + quantity, 0)
  res.type('html').send(renderPage(page, { pieces, checkoutOrigin, inspectorUrl }))
}
