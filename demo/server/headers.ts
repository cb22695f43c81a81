/** Security headers of every response. @module */
import type { RequestHandler } from 'express'
import { pagePolicy } from './checkout.ts'

/** Sets the headers of each response. Nothing is cached, except by routes with another `Cache-Control`. */
export function securityHeaders({
  shopOrigin,
  checkoutOrigin,
}: {
  readonly shopOrigin: string
  readonly checkoutOrigin: string
}): RequestHandler {
  const headers = {
    'Content-Security-Policy': pagePolicy(checkoutOrigin),
    'Permissions-Policy':
      'camera=(), microphone=(), geolocation=(), payment=(), publickey-credentials-get=()',
    'Reporting-Endpoints': `csp="${shopOrigin}/reports"`,
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    'Cross-Origin-Opener-Policy': 'same-origin-allow-popups',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    ...(shopOrigin.startsWith('https:') && { 'Strict-Transport-Security': transportSecurity }),
  }
  return (_req, res, next) => {
    res.set(headers)
    next()
  }
}

/** One year. */
const transportSecurity = 'max-age=31536000; includeSubDomains'
