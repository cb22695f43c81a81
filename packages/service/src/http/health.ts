/**
 * Whether this instance lives, and whether it can serve: for whoever starts and balances it.
 *
 * @module
 */
import { Router } from 'express'
import type { Context } from '../context.ts'
import { jsonHeaders } from './headers.ts'
import { only } from './method-not-allowed.ts'
import { ProblemError } from './problem.ts'

/** Returns the routes `/healthz` and `/readyz`. */
export function healthRouter(
  { db }: Pick<Context, 'db'>,
  { stopping }: { readonly stopping: AbortSignal },
): Router {
  const router = Router({ caseSensitive: true, strict: true })

  router.get('/healthz', (_request, response) => {
    response.set(jsonHeaders).json({ status: 'ok' })
  })

  router.get('/readyz', async (_request, response) => {
    if (stopping.aborted) throw unready('The service is stopping.')
    // An unreachable store throws what becomes the same 503.
    await db.query`select 1 as ready`
    response.set(jsonHeaders).json({ status: 'ready' })
  })
  for (const path of ['/healthz', '/readyz']) router.all(path, only('GET, HEAD'))
  return router
}

function unready(detail: string): ProblemError {
  return new ProblemError('store_unavailable', detail, { headers: { 'retry-after': '1' } })
}
