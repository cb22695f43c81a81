/** The Content Security Policy of a shop's pages. @module */
import { checkedOrigin } from '../client/configuration.ts'
import { ConfigurationError } from '../client/errors.ts'

/** Options of `cspFor()`. */
export interface CspOptions {
  /** Origin of the hosted checkout, such as `https://pay.example`: `PI_CHECKOUT_ORIGIN`. */
  readonly checkoutOrigin: string
  /**
   * Name of an endpoint in `Reporting-Endpoints` that receives violations.
   * @default None
   */
  readonly reportTo?: string | undefined
  /**
   * Names of the Trusted Types policies that the shop's own libraries create, such as `vue`. Pass `lit-html` if the shop
   * uses Lit itself: the element contains Lit, so the page creates this policy twice.
   * @default None: the element's own, `lit-html`, is always allowed
   */
  readonly trustedTypes?: readonly string[] | undefined
}

/**
 * Returns the value of `Content-Security-Policy` for every page of a shop.
 *
 * It allows scripts, styles, images, and fonts of the shop's origin, and requires Trusted Types. A shop that loads more
 * adds its sources.
 *
 * @param options - `checkoutOrigin`, `reportTo` for reports, and `trustedTypes` of the shop's libraries.
 * @throws {ConfigurationError} If `checkoutOrigin` is not an origin, or another option is not a plain name.
 * @example
 * response.setHeader('content-security-policy', cspFor({ checkoutOrigin: 'https://pay.example' }))
 * @see .github/SECURITY.md, "Headers to copy"
 */
export function cspFor({ checkoutOrigin, reportTo, trustedTypes = [] }: CspOptions): string {
  const checkout = checkedOrigin(checkoutOrigin, { name: 'checkoutOrigin', of: 'cspFor()' })
  // A semicolon or a comma would begin another directive or policy.
  if (reportTo !== undefined && !/^[\w-]{1,64}$/.test(reportTo)) {
    const rule = 'must be 1 to 64 letters, digits, _ or -, such as csp.'
    throw new ConfigurationError('reportTo', rule)
  }
  if (trustedTypes.some((name) => !/^[\w#=/@.%-]{1,64}$/.test(name))) {
    const rule = 'must be names of Trusted Types policies, such as lit-html.'
    throw new ConfigurationError('trustedTypes', rule)
  }
  const policies = ['lit-html', ...trustedTypes.filter((name) => name !== 'lit-html')]
  if (trustedTypes.includes('lit-html')) policies.push("'allow-duplicates'")
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
    `trusted-types ${policies.join(' ')}`,
    ...(reportTo === undefined ? [] : [`report-to ${reportTo}`]),
  ].join('; ')
}
