/** Why the checkout cannot be shown: a closed list of codes, each with its fix. @module */

/** Codes of what stays as it is, for which only the fix helps. */
export const permanentCodes = [
  'not_configured',
  'insecure_context',
  'invalid_base_path',
  'order_mismatch',
  'blocked_by_csp',
  'cross_origin_isolated',
  'foreign_frame',
  'origin_not_allowed',
  'protocol_mismatch',
  'unauthorized',
] as const

/** Codes for which another try can help. */
export const retryableCodes = [
  'handoff_failed',
  'status_failed',
  'offline',
  'unreachable',
  'connection_lost',
  'internal',
] as const

/** Why the checkout cannot be shown. The README's table has the meaning and the fix of each code. */
export type CheckoutErrorCode = (typeof permanentCodes | typeof retryableCodes)[number]

/** The checkout cannot be shown. The error contains no payment status: ask your server. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError'

  /** Which rule failed. */
  declare readonly code: CheckoutErrorCode

  /** Whether `reload()`, or the buyer's "Try again", can help. */
  declare readonly retryable: boolean

  /**
   * Creates an error with its message.
   *
   * @param code - One of the README's table.
   * @param options - `cause`: for `handoff_failed` and `status_failed`, the error of your function. Of a handoff, its `retryable: false` applies here too.
   */
  constructor(code: CheckoutErrorCode, options?: ErrorOptions) {
    const { message = 'See the README.', retryable } = Object(options?.cause)
    super(`pi-checkout: ${code}. ${message}`, options)
    this.code = code
    // Another sign-in, or another look, can help with a status.
    const canHelp = retryable !== false || code === 'status_failed'
    this.retryable = canHelp && (retryableCodes as readonly string[]).includes(code)
  }
}
