/**
 * Routes of the API description and the API documentation.
 *
 * @module
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router } from 'express'
import type { Context } from '../context.ts'
import { jsonHeaders } from '../http/headers.ts'
import { only } from '../http/method-not-allowed.ts'
import { toolPageHeaders } from '../http/tool-page.ts'
import { openapi } from './openapi.ts'
import { docsPage } from './page.ts'

/** Returns the routes of `/openapi.json`, `/docs`, and its stylesheet. */
export function apiDocsRouter({
  publicUrl,
  hostedFolder,
}: Pick<Context, 'publicUrl' | 'hostedFolder'>): Router {
  const router = Router({ caseSensitive: true, strict: true })
  const description = JSON.stringify(openapi(publicUrl))
  const page = docsPage(publicUrl)

  router.get('/openapi.json', (_request, response) => {
    response.set(jsonHeaders).send(description)
  })
  router.get('/docs', (_request, response) => {
    response.set(toolPageHeaders(publicUrl)).type('html').send(page)
  })
  router.get('/docs.css', async (_request, response) => {
    const style = await readFile(join(hostedFolder, 'docs.css'), 'utf8')
    response.set(styleHeaders).type('css').send(style)
  })
  for (const path of ['/openapi.json', '/docs', '/docs.css']) router.all(path, only('GET, HEAD'))
  return router
}

const styleHeaders = {
  'cache-control': 'no-cache',
  'cross-origin-resource-policy': 'same-origin',
}
