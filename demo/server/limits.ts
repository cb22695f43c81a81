/** Rate limits of routes that send requests to the service. @module */
import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit'
import { ShopProblem } from './problem.ts'
import type { Sessions } from './session.ts'

type Limit = Pick<Options, 'windowMs' | 'limit'>

const minute = 60_000

/** Ten handoffs in ten minutes, which limits attempts with stolen cards. */
export function handoffLimits(sessions: Sessions): RequestHandler[] {
  return limits(sessions, { windowMs: 10 * minute, limit: 10 })
}

/** A page sends one request when it is opened. More than these are a loop. */
export function settleLimits(sessions: Sessions): RequestHandler[] {
  return limits(sessions, { windowMs: minute, limit: 30 })
}

function limits(sessions: Sessions, limit: Limit): RequestHandler[] {
  const client = (req: Request): string => hash(`${sessions.of(req) ?? ''}|${address(req)}`)
  return [
    // Any client can delete its cookie, so addresses have a limit too. It is checked first, so that new cookies do
    // not fill the memory. It is high, because buyers behind a proxy or a carrier share an address.
    rateLimit({ ...shared, ...limit, limit: 6000, keyGenerator: address }),
    rateLimit({ ...shared, ...limit, keyGenerator: client }),
  ]
}

const shared: Partial<Options> = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
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
