/** Security headers of every response. @module */
import type { RequestHandler } from 'express'
import { pagePolicy } from './checkout.ts'
import type { Shop } from './shop.ts'

/** Sets the headers of each response. Nothing is cached, except by routes with another `Cache-Control`. */
export function securityHeaders({
  shopOrigin,
  checkoutOrigin,
}: Pick<Shop, 'shopOrigin' | 'checkoutOrigin'>): RequestHandler {
  const headers = {
    'Content-Security-Policy': pagePolicy(checkoutOrigin),
    'Permissions-Policy':
      'camera=(), microphone=(), geolocation=(), payment=(), publickey-credentials-get=()',
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(shopOrigin.startsWith('https:') && {
      'Strict-Transport-Security': 'max-age=31536000; includeSubDomains',
    }),
  }
  return (_req, res, next) => {
    res.set(headers)
    next()
  }
}
