/**
 * The policy of a shop's pages: they may show the hosted checkout in a frame, and nothing of others.
 *
 * @module
 */
import { checkedOrigin } from './configuration.ts'

export interface CspOptions {
  /** Origin of the hosted checkout, such as `https://pay.example`: `PI_CHECKOUT_ORIGIN`. */
  readonly checkoutOrigin: string
  /** Name of the endpoint in `Reporting-Endpoints` that hears of violations. Default: none. */
  readonly reportTo?: string | undefined
}

/**
 * Returns the value of `Content-Security-Policy` for every page of a shop.
 *
 * Strict on purpose: scripts, styles, pictures and fonts of the shop's own origin, and Trusted Types
 * with the one policy that the element needs. A shop that loads more adds its own sources.
 *
 * @throws {TypeError} `checkoutOrigin` is not an origin, or `reportTo` is not a plain name.
 * @see .github/SECURITY.md, "Headers to copy"
 */
export function cspFor({ checkoutOrigin, reportTo }: CspOptions): string {
  const checkout = checkedOrigin(checkoutOrigin, { name: 'checkoutOrigin', of: 'cspFor()' })
  // A semicolon or comma would begin a directive, or a policy, of somebody else's.
  if (reportTo !== undefined && !/^[\w-]{1,64}$/.test(reportTo)) {
    throw new TypeError('reportTo: must be 1 to 64 letters, digits, _ or -, such as csp')
  }
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${checkout}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types lit-html',
    ...(reportTo === undefined ? [] : [`report-to ${reportTo}`]),
  ].join('; ')
}
