/**
 * The security headers of every answer. One of their lines belongs to the checkout.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/** Sets the headers of shop pages and answers. Nothing is cached unless its route says otherwise. */
export function securityHeaders({
  shopOrigin,
  checkoutOrigin,
}: {
  readonly shopOrigin: string
  readonly checkoutOrigin: string
}): RequestHandler[] {
  const https = shopOrigin.startsWith('https:')
  const policy = helmet.contentSecurityPolicy({
    // Helmet's own defaults would upgrade http, loopback included.
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      // Integration 1 of 5: the page may show the hosted checkout in a frame, and nothing else.
      frameSrc: [checkoutOrigin],
      formAction: ["'self'"],
      baseUri: ["'none'"],
      objectSrc: ["'none'"],
      frameAncestors: ["'none'"],
      requireTrustedTypesFor: ["'script'"],
      trustedTypes: ['lit-html'],
      reportTo: ['csp'],
    },
  })
  const rest: RequestHandler = (_req, res, next) => {
    res.set({
      'Permissions-Policy': `payment=(self "${checkoutOrigin}"), publickey-credentials-get=(self "${checkoutOrigin}"), camera=(), microphone=(), geolocation=()`,
      'Reporting-Endpoints': `csp="${shopOrigin}/reports"`,
      'Cache-Control': 'no-store',
    })
    next()
  }
  return [
    policy,
    rest,
    helmet.referrerPolicy({ policy: 'strict-origin-when-cross-origin' }),
    helmet.crossOriginOpenerPolicy({ policy: 'same-origin-allow-popups' }),
    helmet.noSniff(),
    ...(https ? [helmet.strictTransportSecurity({ maxAge: 31_536_000 })] : []),
  ]
}
