/**
 * One origin for the shop. Only its own pages may change data (exact `Origin`, no cross-site request).
 * A page that was opened under another loopback name is redirected.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { ShopProblem } from './problem.ts'

/** Rejects each request that could change data, unless it comes from the shop's own page. */
export function sameOrigin(shopOrigin: string): RequestHandler {
  return (req, _res, next) => {
    if (req.method === 'GET' || req.method === 'HEAD') return next()
    const site = req.get('sec-fetch-site')
    if (req.get('origin') !== shopOrigin || (site !== undefined && site !== 'same-origin')) {
      throw new ShopProblem('cross_origin')
    }
    // A form can send JSON as text/plain, so only these two types are read.
    if (!types.test(req.get('content-type') ?? '')) {
      throw new ShopProblem('unsupported_media_type')
    }
    next()
  }
}

const types = /^application\/(?:json|x-www-form-urlencoded)(?:; ?charset=utf-8)?$/i

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
