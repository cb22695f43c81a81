/** Rate limit of the handoff, which creates intents. @module */
import type { RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ordersOf } from './orders.ts'
import { ShopProblem } from './problem.ts'
import type { Shop } from './shop.ts'

/** Ten handoffs of a session in ten minutes, which limits attempts with stolen cards. */
export function handoffLimit({ db, sessions }: Pick<Shop, 'db' | 'sessions'>): RequestHandler {
  return rateLimit({
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    windowMs: 10 * 60_000,
    limit: 10,
    keyGenerator: (req) => sessions.of(req) ?? '',
    // A session without an order gets no handoff, and does not fill the memory.
    skip: (req) => ordersOf(db, sessions.of(req) ?? '').length === 0,
    handler: () => {
      throw new ShopProblem('rate_limited')
    },
  })
}
