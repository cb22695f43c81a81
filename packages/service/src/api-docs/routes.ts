/**
 * What the service says of itself: its description and its documentation.
 *
 * @module
 */
import { Router } from 'express'
import type { Context } from '../context.ts'
import { jsonHeaders } from '../http/headers.ts'
import { only } from '../http/method-not-allowed.ts'
import { toolPageHeaders } from '../http/tool-page.ts'
import { docsPage } from './docs.ts'
import { docsStyle } from './docs-style.ts'
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
    response.set(toolPageHeaders(publicUrl)).type('html').send(page)
  })
  router.get('/docs.css', (_request, response) => {
    response.set(styleHeaders).type('css').send(docsStyle)
  })
  for (const path of ['/openapi.json', '/docs', '/docs.css']) router.all(path, only('GET, HEAD'))
  return router
}

const styleHeaders = {
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'same-origin',
}
