/** One origin for the shop: only its own pages may change data. @module */
import type { RequestHandler } from 'express'
import { ShopProblem } from './problem.ts'

/** Rejects each request that could change data, unless it comes from the shop's own page. */
export function sameOrigin(shopOrigin: string): RequestHandler {
  return (req, _res, next) => {
    const isRead = req.method === 'GET' || req.method === 'HEAD'
    const site = req.get('sec-fetch-site') ?? 'same-origin'
    if (isRead || (req.get('origin') === shopOrigin && site === 'same-origin')) return next()
    throw new ShopProblem('cross_origin')
  }
}
