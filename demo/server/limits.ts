/** Rate limits: of the handoff, which creates intents, and of the staff's password. @module */
import type { Request, RequestHandler } from 'express'
import { rateLimit } from 'express-rate-limit'
import { ordersOf } from './orders.ts'
import { ShopProblem } from './problem.ts'
import type { Shop } from './shop.ts'

const tenMinutes = {
  windowMs: 10 * 60_000,
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  handler: () => {
    throw new ShopProblem('rate_limited')
  },
} as const

/** Ten handoffs of a session in ten minutes, which limits attempts with stolen cards. */
export function handoffLimit({ db, sessions }: Pick<Shop, 'db' | 'sessions'>): RequestHandler {
  return rateLimit({
    ...tenMinutes,
    limit: 10,
    keyGenerator: (req) => sessions.of(req) ?? '',
    // A session without an order gets no handoff, and does not fill the memory.
    skip: (req) => ordersOf(db, sessions.of(req) ?? '').length === 0,
  })
}

/** Ten wrong passwords of all clients in ten minutes. */
export function passwordLimit(): RequestHandler {
  return rateLimit({
    ...tenMinutes,
    limit: 10,
    keyGenerator: () => 'staff',
    skip: (req: Request) => req.get('authorization') === undefined,
    requestWasSuccessful: (_req, res) => res.statusCode !== 401,
    skipSuccessfulRequests: true,
  })
}
