/** The shop's pages: built files, the language, and redirects that depend on the order's state. @module */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type Request, type Response, Router } from 'express'
import type { Language } from './catalogue.ts'
import { isPayable, type Order, ownedOrder } from './orders.ts'
import { preferencesOf } from './preferences.ts'
import type { Shop } from './shop.ts'

/** Folder of the built pages, relative to the sources or to the build. */
export const builtPages = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/pages/' : '../pages/', import.meta.url),
)

/** Creates the routes of the pages. An order of another session is a page that does not exist. */
export function shopPages({ db, sessions }: Shop): Router {
  const shells = readShells()
  const pages = Router({ caseSensitive: true, strict: true })

  pages.use('/assets', express.static(join(builtPages, 'assets'), hashedFiles))
  pages.use('/pictures', express.static(join(builtPages, 'pictures'), pictures))
  pages.use(sessions.start)

  pages.get(['/', '/cart', '/orders'], (req, res) => show(req, res, 'shop'))
  pages.get('/orders/:id', (req, res) => show(req, res, orderOf(req) ? 'shop' : undefined))
  pages.get('/pay/:id', (req, res) => {
    const order = orderOf(req)
    if (order?.state === 'paid') return res.redirect(303, `/orders/${order.id}`)
    if (order?.state === 'processing') return res.redirect(303, `/confirming/${order.id}`)
    if (order && !isPayable(db, order)) return res.redirect(303, '/cart')
    show(req, res, order && 'checkout')
  })
  pages.get('/confirming/:id', (req, res) => {
    const order = orderOf(req)
    if (order?.state === 'paid' || order?.state === 'failed') {
      return res.redirect(303, `/orders/${order.id}`)
    }
    show(req, res, order && 'checkout')
  })
  pages.get('/{*rest}', (req, res) => show(req, res, undefined))
  return pages

  function orderOf(req: Request<{ id: string }>): Order | undefined {
    const session = sessions.of(req)
    return session === undefined ? undefined : ownedOrder(db, { session, orderId: req.params.id })
  }

  function show(req: Request, res: Response, page: Page | undefined): void {
    const { language } = preferencesOf(db, req, sessions.of(req))
    res
      .status(page ? 200 : 404)
      .type('html')
      .send(inLanguage(page ? shells[page] : shells.missing, language))
  }
}

const hashedFiles = { immutable: true, maxAge: '365d', index: false, redirect: false } as const
const pictures = { maxAge: '1h', index: false, redirect: false } as const

type Page = 'shop' | 'checkout'

function readShells(): Readonly<Record<Page | 'missing', string>> {
  const read = (page: Page): string => readFileSync(join(builtPages, `${page}.html`), 'utf8')
  const shop = read('shop')
  const missing = shop.replace('<html ', '<html data-missing ')
  return { shop, missing, checkout: read('checkout') }
}

/** Removes the fonts of other languages: browsers warn of unused preloads. */
function inLanguage(shell: string, language: Language): string {
  return shell
    .replace(/(<html[^>]* lang)="en"/, `$1="${language}"`)
    .replace(/ *<link [^>]*data-language="(\w+)"[^>]*>\n/g, (link, of) =>
      of === language ? link : '',
    )
}
