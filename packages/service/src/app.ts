/**
 * The service's HTTP applications: the API with the hosted page, and the challenge page beside it.
 *
 * @module
 */
import { join } from 'node:path'
import type { Express } from 'express'
import type { Context } from './context.ts'
import { bareApp, finished } from './http/express-app.ts'
import { hostCheck } from './http/host.ts'
import { ProblemError } from './http/problem.ts'

/** Returns the application of the main listener, without the two operations of the API. */
export function pagesApp(context: Context): Express {
  const app = bareApp()
  app.use(hostCheck(context.publicUrl))
  app.get('/pi-checkout.js', (_request, response, next) => {
    response.sendFile(
      join(context.hostedFolder, 'pi-checkout.js'),
      {
        etag: true,
        lastModified: false,
        cacheControl: false,
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'cache-control': 'no-cache',
          // A module script is always a CORS request, and the shop is another origin.
          'access-control-allow-origin': '*',
          'cross-origin-resource-policy': 'cross-origin',
        },
      },
      (error) => {
        if (!error) return
        next(new ProblemError('not_found', 'The element is not built; run npm run build first.'))
      },
    )
  })
  return finished(app, context)
}
