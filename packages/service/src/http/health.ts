/** Health checks for supervisors (`/healthz`) and load balancers (`/readyz`). @module */
import { routes } from '../../shared/routes.ts'
import type { Database } from '../store/database.ts'
import { within } from '../within.ts'
import type { App } from './app.ts'
import { retryLater } from './problem.ts'
import { json } from './send.ts'

export function addHealthRoutes(
  app: App,
  { db, draining }: { readonly db: Database; readonly draining: AbortSignal },
): void {
  let check: Promise<void> | undefined
  const forget = (): void => {
    check = undefined
  }
  app.get(routes.health.path, (_request, reply) => json(reply, { status: 'ok' }))
  app.get(routes.ready.path, async (_request, reply) => {
    if (draining.aborted) throw retryLater('store_unavailable', 'The service is stopping.')
    check ??= db.probe().finally(() => void setTimeout(forget, checkInterval).unref())
    // If the store is unreachable or cannot write, this throws an error that is sent as the same 503.
    if (await within(check, checkTimeout)) return json(reply, { status: 'ready' })
    throw retryLater('store_unavailable', 'The store does not respond.')
  })
}

/** Milliseconds after which a store that does not respond is not ready. */
const checkTimeout = 3000

/** Milliseconds for which a result is valid, so that requests of `/readyz` do not load the store. */
const checkInterval = 500
