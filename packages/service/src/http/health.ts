/**
 * Health checks for supervisors (`/healthz`) and load balancers (`/readyz`).
 *
 * @module
 */
import type { Queryable } from '../db/database.ts'
import { retryLater } from './problem.ts'
import { type Handler, json, noContent } from './response.ts'

/** Returns the handlers of `/healthz`, `/readyz`, and `/favicon.ico`. */
export function healthRoutes({
  db,
  stopping,
}: {
  readonly db: Queryable
  readonly stopping: AbortSignal
}): { readonly health: Handler; readonly ready: Handler; readonly favicon: Handler } {
  return {
    health: () => json({ status: 'ok' }),
    ready: async () => {
      if (stopping.aborted) throw retryLater('store_unavailable', 'The service is stopping.')
      // If the store is unreachable, this throws an error that is sent as the same 503.
      await db.query`select 1 as ready`
      return json({ status: 'ready' })
    },
    // Browsers request it automatically. A 404 would show as an error in the browser console.
    favicon: noContent,
  }
}
