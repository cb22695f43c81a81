/** Health checks for supervisors (`/healthz`) and load balancers (`/readyz`). @module */
import { routes } from '../../shared/routes.ts'
import type { Database } from '../store/database.ts'
import { within } from '../within.ts'
import type { App } from './app.ts'
import { retryLater } from './problem.ts'
import { json } from './send.ts'

export interface HealthOptions {
  readonly db: Database
  /** Returns why this instance is not ready, or `undefined` if it may be. */
  readonly unready?: (() => string | undefined) | undefined
}

export function addHealthRoutes(app: App, { db, unready = () => undefined }: HealthOptions): void {
  const commits = sharedCheck(async () => await db.probe())
  app.get(routes.health.path, (_request, reply) => json(reply, { status: 'ok' }))
  app.get(routes.ready.path, async (_request, reply) => {
    const reason = unready()
    if (reason !== undefined) throw retryLater('store_unavailable', reason)
    // If the store is unreachable or cannot write, this throws an error that is sent as the same 503.
    if (await within(commits(), checkTimeout)) return json(reply, { status: 'ready' })
    throw retryLater('store_unavailable', 'The store does not respond.')
  })
}

/** Milliseconds after which a store that does not respond is not ready. */
const checkTimeout = 3000

/** Milliseconds for which a result is valid, so that requests of `/readyz` do not load the store. */
const checkInterval = 500

/** Returns a function that shares a running check and a recent result. */
function sharedCheck(check: () => Promise<void>): () => Promise<void> {
  let result: Promise<void> | undefined
  let endedAt = 0
  return () => {
    if (result && performance.now() - endedAt < checkInterval) return result
    endedAt = Number.POSITIVE_INFINITY
    result = check().finally(() => {
      endedAt = performance.now()
    })
    return result
  }
}
