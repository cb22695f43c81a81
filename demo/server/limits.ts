/** Rate limit of the handoff, which creates intents. @module */
import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit'
import { ShopProblem } from './problem.ts'
import type { Sessions } from './session.ts'

/** Ten handoffs in ten minutes, which limits attempts with stolen cards. */
export function handoffLimits(sessions: Sessions): RequestHandler[] {
  const client = (req: Request): string => hash(`${sessions.of(req) ?? ''}|${address(req)}`)
  return [
    // Any client can delete its cookie, so addresses have a limit too. It is checked first, so that new cookies do
    // not fill the memory. It is high, because buyers behind a proxy or a carrier share an address.
    rateLimit({ ...shared, limit: 6000, keyGenerator: address }),
    rateLimit({ ...shared, limit: 10, keyGenerator: client }),
  ]
}

const shared: Partial<Options> = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  windowMs: 10 * 60_000,
  handler: () => {
    throw new ShopProblem('rate_limited')
  },
}

function address(req: Request): string {
  return hash(ipKeyGenerator(req.ip ?? ''))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
