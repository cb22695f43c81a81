/**
 * How often a visitor may make the shop ask the service.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, type Options, rateLimit } from 'express-rate-limit'
import { ShopProblem } from './problem.ts'
import type { Sessions } from './session.ts'

const minute = 60_000

/** Ten in ten minutes: the handoff must not become a tap for people who try stolen cards. */
export function handoffLimits(sessions: Sessions): RequestHandler[] {
  return [
    // Any client can drop its cookie, so an address has a bound too. It comes first: new cookies must
    // not fill the memory. It is high, because buyers behind a proxy or a carrier share an address.
    rateLimit({ ...shared, windowMs: 10 * minute, limit: 6000, keyGenerator: address }),
    rateLimit({ ...shared, windowMs: 10 * minute, limit: 10, keyGenerator: visitor(sessions) }),
  ]
}

/** A page asks once when it is opened; more often than that is a loop. */
export function settleLimits(sessions: Sessions): RequestHandler[] {
  return [
    rateLimit({ ...shared, windowMs: minute, limit: 6000, keyGenerator: address }),
    rateLimit({ ...shared, windowMs: minute, limit: 30, keyGenerator: visitor(sessions) }),
  ]
}

const shared: Partial<Options> = {
  standardHeaders: 'draft-8',
  legacyHeaders: false,
  handler: () => {
    throw new ShopProblem('rate_limited')
  },
}

function visitor(sessions: Sessions): (req: Request) => string {
  return (req) => hash(`${sessions.of(req) ?? ''}|${address(req)}`)
}

function address(req: Request): string {
  return hash(ipKeyGenerator(req.ip ?? ''))
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
