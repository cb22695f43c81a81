/**
 * The handoff must not become a tap for people who try stolen cards: ten in ten minutes per session.
 *
 * @module
 */
import { createHash } from 'node:crypto'
import type { Request, RequestHandler } from 'express'
import { ipKeyGenerator, rateLimit } from 'express-rate-limit'
import { ShopProblem } from './problem.ts'
import type { Sessions } from './session.ts'

export function handoffLimits(sessions: Sessions): RequestHandler[] {
  const shared = {
    windowMs: 10 * 60 * 1000,
    standardHeaders: 'draft-8',
    legacyHeaders: false,
    handler: () => {
      throw new ShopProblem('rate_limited')
    },
  } as const
  const session = (req: Request): string => sessions.of(req) ?? ''
  return [
    rateLimit({
      ...shared,
      limit: 10,
      keyGenerator: (req) => hash(`${session(req)}|${address(req)}`),
    }),
    // A new cookie is quickly had, so one address has a bound of its own.
    rateLimit({ ...shared, limit: 300, keyGenerator: (req) => hash(address(req)) }),
  ]
}

function address(req: Request): string {
  return ipKeyGenerator(req.ip ?? '')
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
