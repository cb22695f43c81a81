/**
 * One origin for the shop: its own pages alone may change anything (exact `Origin`, JSON, no cross-site
 * request), and whoever opens a page by another name of this machine is led to it.
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

/**
 * Leads a browser from another name of this machine, such as 127.0.0.1, to the shop's own: a page
 * there would be refused whatever it asks. A deployed shop has a proxy for that, which may know it by
 * another name.
 */
export function ownName(shopOrigin: string): RequestHandler {
  const { protocol, host } = new URL(shopOrigin)
  return (req, res, next) => {
    const opened = req.get('sec-fetch-mode') === 'navigate'
    if (protocol === 'https:' || req.get('host') === host || !opened) return next()
    res.redirect(307, shopOrigin + req.originalUrl)
  }
}
