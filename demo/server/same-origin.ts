/**
 * Only the shop's own pages may change anything: exact `Origin`, JSON, no cross-site request.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { ShopProblem } from './problem.ts'

/** Refuses every request that could change something and does not come from the shop's own page. */
export function sameOrigin(shopOrigin: string): RequestHandler {
  return (req, _res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    const site = req.get('sec-fetch-site')
    if (req.get('origin') !== shopOrigin || (site !== undefined && site !== 'same-origin')) {
      throw new ShopProblem('cross_origin', {
        detail: `This route takes requests from ${shopOrigin} alone.`,
      })
    }
    // A plain form can carry JSON as text/plain; nothing but JSON under its own name is read.
    if (!/^application\/json(?:; ?charset=utf-8)?$/i.test(req.get('content-type') ?? '')) {
      throw new ShopProblem('unsupported_media_type')
    }
    next()
  }
}
