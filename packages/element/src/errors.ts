/** Why the checkout cannot be shown: a closed list of codes, each with its fix. @module */

/** Codes for which another try can help. */
const retryableCodes = [
  'handoff_failed',
  'offline',
  'unreachable',
  'connection_lost',
  'internal',
] as const

/** Why the checkout cannot be shown. The README's table has the meaning and the fix of each code. */
export type CheckoutErrorCode =
  | 'not_configured'
  | 'insecure_context'
  | 'invalid_values'
  | 'blocked_by_csp'
  | 'cross_origin_isolated'
  | 'origin_not_allowed'
  | 'protocol_mismatch'
  | 'unauthorized'
  | (typeof retryableCodes)[number]

/** The checkout cannot be shown. The error contains no payment status: ask your server. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError'

  /** Which rule failed. */
  readonly code: CheckoutErrorCode

  /** Whether `reload()`, or the buyer's "Try again", can help. */
  readonly retryable: boolean

  /**
   * Creates an error with its message.
   *
   * @param code - One of the README's table.
   * @param options - `cause`: for `handoff_failed`, the error of `fetchHandoff`. Its `retryable: false` applies here too.
   */
  constructor(code: CheckoutErrorCode, options?: ErrorOptions) {
    super(`pi-checkout: ${code}`, options)
    this.code = code
    const { retryable } = Object(options?.cause) as { readonly retryable?: unknown }
    this.retryable = retryable !== false && (retryableCodes as readonly string[]).includes(code)
  }
}

/** Returns the fix of an error for the developer of this page, in test environments. */
export function helpFor({ code, cause }: CheckoutError, checkout: string): string {
  const texts: Partial<Record<CheckoutErrorCode, string>> = {
    not_configured: 'Call configureCheckout.',
    handoff_failed: `${cause instanceof Error ? cause.message : 'fetchHandoff failed'}. Read your server's log.`,
    insecure_context: 'Serve this page over https.',
    invalid_values: 'Pass the id unchanged.',
    blocked_by_csp: `Add to your policy: frame-src ${checkout}`,
    cross_origin_isolated: 'Remove Cross-Origin-Embedder-Policy.',
    origin_not_allowed: `Run: npx pi-service origins add ${location.origin}`,
    protocol_mismatch: 'Update the element.',
    unauthorized: 'Create a new handoff.',
  }
  return texts[code] ?? `No response from ${checkout}. Run: npx pi-checkout doctor`
}
