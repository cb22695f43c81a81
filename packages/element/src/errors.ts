/**
 * Why the checkout cannot be shown: a closed list of codes, each with who can help.
 *
 * @module
 */

/** Codes that Try again, or a new session, can heal. */
const transientCodes = ['offline', 'unreachable', 'connection_lost', 'internal'] as const

/** Why the checkout cannot be shown; the README's table says who must act. */
export type CheckoutErrorCode =
  | 'not_configured'
  | 'insecure_context'
  | 'invalid_values'
  | 'blocked_by_csp'
  | 'cross_origin_isolated'
  | 'origin_not_allowed'
  | 'protocol_mismatch'
  | 'unauthorized'
  | (typeof transientCodes)[number]

/** Tells that the checkout cannot be shown. It says nothing of the payment: ask your server. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError'

  /** Which rule broke; the README's table says who must act. */
  readonly code: CheckoutErrorCode

  /** Whether `reload()`, or the buyer's Try again, can help. */
  readonly retryable: boolean

  constructor(code: CheckoutErrorCode) {
    super(`pi-checkout: ${code}`)
    this.code = code
    this.retryable = (transientCodes as readonly string[]).includes(code)
  }
}
