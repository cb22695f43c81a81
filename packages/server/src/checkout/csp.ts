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
   * Nonce of this response, from a random generator: allows the scripts and styles with this attribute, such as those of
   * Next.js.
   * @default None
   */
  readonly nonce?: string | undefined
  /**
   * Origins of scripts besides your own, such as `https://analytics.example`.
   * @default None
   */
  readonly scriptSrc?: readonly string[] | undefined
  /**
   * Names of the Trusted Types policies that the shop's own libraries create, such as `vue`. Pass `lit-html` if the shop
   * uses Lit itself: the element contains Lit, so the page creates this policy twice. Pass `false` if a library does not
   * support Trusted Types.
   * @default None: the element's own, `lit-html`, is always allowed
   */
  readonly trustedTypes?: readonly string[] | false | undefined
}

/**
 * Returns the value of `Content-Security-Policy` for every page of a shop.
 *
 * It allows scripts, styles, images, and fonts of the shop's origin, and requires Trusted Types.
 *
 * @param options - `checkoutOrigin`, and what the shop's pages load besides the checkout.
 * @throws {ConfigurationError} If an origin is not one, or another option is not a plain name.
 * @example
 * response.setHeader('content-security-policy', cspFor({ checkoutOrigin: 'https://pay.example' }))
 * @see .github/SECURITY.md, "Headers to copy"
 */
export function cspFor(options: CspOptions): string {
  const { reportTo, nonce, scriptSrc = [], trustedTypes = [] } = options
  const checkout = originOf('checkoutOrigin', options.checkoutOrigin)
  const scripts = scriptSrc.map((each) => ` ${originOf('scriptSrc', each)}`).join('')
  if (reportTo !== undefined) assertPlain('reportTo', reportTo)
  if (nonce !== undefined) assertPlain('nonce', nonce)
  const noncePart = nonce === undefined ? '' : ` 'nonce-${nonce}'`
  return [
    "default-src 'none'",
    `script-src 'self'${noncePart}${scripts}`,
    `style-src 'self'${noncePart}`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    `frame-src ${checkout}`,
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    ...(trustedTypes === false ? [] : trustedTypesOf(trustedTypes)),
    ...(reportTo === undefined ? [] : [`report-to ${reportTo}`]),
  ].join('; ')
}

function trustedTypesOf(names: readonly string[]): string[] {
  for (const name of names) assertPlain('trustedTypes', name)
  const policies = ['lit-html', ...names.filter((name) => name !== 'lit-html')]
  if (names.includes('lit-html')) policies.push("'allow-duplicates'")
  return ["require-trusted-types-for 'script'", `trusted-types ${policies.join(' ')}`]
}

function originOf(name: 'checkoutOrigin' | 'scriptSrc', value: string): string {
  return checkedOrigin(value, { name, of: 'cspFor()' })
}

// A semicolon or a comma would begin another directive or policy.
const plain = {
  reportTo: [/^[\w-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -, such as csp.'],
  nonce: [/^[\w+/-]{1,256}={0,2}$/, 'must be Base64, such as randomBytes(16).toString("base64").'],
  trustedTypes: [/^[\w#=/@.%-]{1,64}$/, 'must be names of policies, such as lit-html, or false.'],
} as const

function assertPlain(name: keyof typeof plain, value: string): void {
  const [pattern, rule] = plain[name]
  if (!pattern.test(value)) throw new ConfigurationError(name, rule)
}
