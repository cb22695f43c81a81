/**
 * What the service says of itself: its description and its documentation.
 *
 * @module
 */
import { Router } from 'express'
import type { Context } from '../context.ts'
import { jsonHeaders } from '../http/headers.ts'
import { docsPage, docsStyle } from './docs.ts'
import { openapi } from './openapi.ts'

/** Returns the routes of `/openapi.json` and `/docs`. */
export function descriptionRouter({ publicUrl }: Pick<Context, 'publicUrl'>): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const description = JSON.stringify(openapi(publicUrl))
  const page = docsPage(publicUrl)

  router.get('/openapi.json', (_request, response) => {
    response.set(jsonHeaders).send(description)
  })
  router.get('/docs', (_request, response) => {
    response.set(pageHeaders).type('html').send(page)
  })
  router.get('/docs.css', (_request, response) => {
    response.set({ 'cache-control': 'no-cache' }).type('css').send(docsStyle)
  })
  return router
}

const pageHeaders = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html",
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
}
