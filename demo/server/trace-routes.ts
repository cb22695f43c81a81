/**
 * The handoff inspector's routes, in development only: one's own order, and the button.
 *
 * @module
 */
import { Router } from 'express'
import type { Sandbox } from './config.ts'
import { ownedOrder } from './orders.ts'
import { ShopProblem } from './problem.ts'
import type { DevelopmentTools, Shop } from './shop.ts'

/** Routes of the drawer: what happened for one's own order, and the button. */
export function traceRoutes(
  { db, sessions }: Pick<Shop, 'db' | 'sessions'>,
  { trace, sandbox }: Pick<DevelopmentTools, 'trace' | 'sandbox'>,
): Router {
  const routes = Router({ caseSensitive: true, strict: true })
  routes.param('id', (req, _res, next, orderId: string) => {
    const session = sessions.of(req)
    if (session === undefined || !ownedOrder(db, { session, orderId })) {
      throw new ShopProblem('not_found')
    }
    next()
  })
  routes.get('/:id', (req, res) => {
    res.json({ steps: trace.stepsOf(req.params.id), canLoseAnswers: sandbox !== undefined })
  })
  routes.post('/:id/lose-next-answer', async (_req, res) => {
    if (!sandbox) throw new ShopProblem('sandbox_unavailable')
    await loseNextAnswer(sandbox)
    // Without its cookie the next handoff asks the service again: same order, same body, same key.
    res.clearCookie('pi-handoff', { path: '/' }).status(204).end()
  })
  return routes
}

/** Tells the sandbox to lose the answer to the next create, after it has stored the intent. */
async function loseNextAnswer({ baseUrl, adminToken }: Sandbox): Promise<void> {
  const answer = await fetch(`${baseUrl}/_sandbox/faults`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ on: 'create', do: 'drop-after-commit', times: 1 }),
    signal: AbortSignal.timeout(5000),
  }).catch(() => undefined)
  if (!answer?.ok) throw new ShopProblem('sandbox_unavailable')
}
