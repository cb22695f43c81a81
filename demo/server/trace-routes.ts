/**
 * The handoff inspector's routes, in development only: the steps of the session's own order, and a lost response.
 *
 * @module
 */
import type { IncomingMessage } from 'node:http'
import { Router } from 'express'
import type { Sandbox } from './config.ts'
import { ownedOrder } from './orders.ts'
import { ShopProblem } from './problem.ts'
import type { DevelopmentTools, Shop } from './shop.ts'

/** Creates the routes of the inspector. */
export function traceRoutes(
  { db, sessions, shopOrigin }: Pick<Shop, 'db' | 'sessions' | 'shopOrigin'>,
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
    res.json({ steps: trace.stepsOf(req.params.id), canLoseResponses: sandbox !== undefined })
  })
  routes.post('/:id/lose-next-response', async (req, res) => {
    if (!sandbox) throw new ShopProblem('sandbox_unavailable')
    await loseNextAnswer(sandbox)
    // Without its cookie the next handoff creates again: same order, same body, same key.
    const secure = shopOrigin.startsWith('https:')
    for (const name of handoffCookies(req)) res.clearCookie(name, { path: '/', secure })
    res.status(204).end()
  })
  return routes
}

/** Returns which of the helper's two cookies the browser has. Over https its name begins with `__Host-`. */
function handoffCookies({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const names = headers.cookie?.split(';').map((pair) => pair.split('=')[0]?.trim() ?? '') ?? []
  return names.filter((name) => /^(?:__Host-)?pi-handoff$/.test(name))
}

/** Makes the sandbox lose the response to this shop's next create, after it has stored the intent. */
async function loseNextAnswer({ baseUrl, adminToken, keyHint }: Sandbox): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' }
  const signal = AbortSignal.timeout(5000)
  try {
    const listed = await fetch(`${baseUrl}/_sandbox/environments`, { headers, signal })
    const { environments } = (await listed.json()) as {
      readonly environments: readonly {
        readonly id: string
        readonly keys: readonly { readonly display: string; readonly revokedAt: string | null }[]
      }[]
    }
    const own = environments.find(({ keys }) =>
      keys.some(({ display, revokedAt }) => revokedAt === null && display.endsWith(keyHint)),
    )
    const added = await fetch(`${baseUrl}/_sandbox/environments/${own?.id}/faults`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ on: 'create', do: 'drop-after-commit', times: 1 }),
      signal,
    })
    if (added.ok) return
  } catch {
    // The service is unreachable, or has no sandbox.
  }
  throw new ShopProblem('sandbox_unavailable')
}
