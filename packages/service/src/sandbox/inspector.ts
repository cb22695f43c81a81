/**
 * The inspector's page: a static shell without a secret. What it shows it reads with the admin token,
 * which reaches it in the fragment of the printed link.
 *
 * @module
 */
import { type RequestHandler, Router } from 'express'
import type { Context } from '../context.ts'
import { readToolPage, toolPageHeaders } from '../http/tool-page.ts'

/** Serves the page at `/_sandbox/`. */
export function inspectorPage({ hostedFolder, publicUrl }: Context): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true })
  router.get('/', async (request, response) => {
    // Express hands `/_sandbox` over as `/` too.
    if (!request.originalUrl.startsWith('/_sandbox/')) {
      response.redirect(308, '/_sandbox/')
      return
    }
    const page = await readToolPage(hostedFolder, 'inspector')
    response.set(toolPageHeaders(publicUrl)).type('html').send(page)
  })
  return router
}
