/** Security headers of every response. @module */
import type { RequestHandler } from 'express'
import type { Shop } from './shop.ts'

/** Sets the headers of each response. Nothing is cached, except by routes with another `Cache-Control`. */
export function securityHeaders({
  shopOrigin,
  checkoutOrigin,
}: Pick<Shop, 'shopOrigin' | 'checkoutOrigin'>): RequestHandler {
  const headers = {
    'Content-Security-Policy': policyOf(checkoutOrigin),
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

/** Allows what the shop and the checkout serve. The element comes from the checkout. */
function policyOf(checkoutOrigin: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${checkoutOrigin}`,
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${checkoutOrigin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
  ].join('; ')
}
