/**
 * The security headers of every answer. One of their lines belongs to the checkout.
 *
 * @module
 */
import { cspFor } from '@pi-checkout/server'
import type { RequestHandler } from 'express'

/** Sets the headers of shop pages and answers. Nothing is cached unless its route says otherwise. */
export function securityHeaders({
  shopOrigin,
  checkoutOrigin,
}: {
  readonly shopOrigin: string
  readonly checkoutOrigin: string
}): RequestHandler {
  const headers = {
    // Integration 1 of 5: the page may show the hosted checkout in a frame, and nothing else.
    'Content-Security-Policy': cspFor({ checkoutOrigin, reportTo: 'csp' }),
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
