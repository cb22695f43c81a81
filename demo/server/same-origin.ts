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

/**
 * Redirects from another loopback name, such as 127.0.0.1, to the shop's origin: requests of a page there would
 * be rejected. A deployed shop does this in its proxy, which may use another name for the shop.
 */
export function redirectToOrigin(shopOrigin: string): RequestHandler {
  const { protocol, host } = new URL(shopOrigin)
  return (req, res, next) => {
    const opened = req.get('sec-fetch-mode') === 'navigate'
    if (protocol === 'https:' || req.get('host') === host || !opened) return next()
    res.redirect(307, shopOrigin + req.originalUrl)
  }
}
