/** Why the checkout cannot be shown: a closed list of codes, each with its fix. @module */
import { isLoopback } from '@pi-checkout/contract/origin'

/** Codes for which another try can help. */
const retryableCodes = [
  'handoff_failed',
  'status_failed',
  'offline',
  'unreachable',
  'connection_lost',
  'internal',
] as const

/** Why the checkout cannot be shown. The README's table has the meaning and the fix of each code. */
export type CheckoutErrorCode =
  | 'not_configured'
  | 'insecure_context'
  | 'invalid_base_path'
  | 'invalid_values'
  | 'order_mismatch'
  | 'blocked_by_csp'
  | 'cross_origin_isolated'
  | 'foreign_frame'
  | 'origin_not_allowed'
  | 'protocol_mismatch'
  | 'unauthorized'
  | (typeof retryableCodes)[number]

/** The checkout cannot be shown. The error contains no payment status: ask your server. */
export class CheckoutError extends Error {
  override readonly name = 'CheckoutError'

  /** Which rule failed. */
  declare readonly code: CheckoutErrorCode

  /** Whether `reload()`, or the buyer's "Try again", can help. */
  declare readonly retryable: boolean

  /** Whether the checkout has reported a test environment. */
  declare readonly isTest: boolean

  /**
   * Creates an error with its message.
   *
   * @param code - One of the README's table.
   * @param options - `cause`: for `handoff_failed` and `status_failed`, the error of your function. Of a handoff, its `retryable: false` applies here too.
   */
  constructor(
    code: CheckoutErrorCode,
    options?: ErrorOptions & { readonly isTest?: boolean | undefined },
  ) {
    super(`pi-checkout: ${code}`, options)
    this.code = code
    this.isTest = options?.isTest === true
    const { retryable } = Object(options?.cause) as { readonly retryable?: unknown }
    // Another sign-in, or another look, can help with a status.
    const canHelp = retryable !== false || code === 'status_failed'
    this.retryable = canHelp && (retryableCodes as readonly string[]).includes(code)
  }
}

/** Returns the error and its fix for the developer of this page, in test environments and on loopback; otherwise nothing. */
export function helpFor({ message, code, cause, isTest }: CheckoutError): string {
  if (!isTest && !isLoopback(location.hostname)) return ''
  // A response of the shop, or a mistake in its function.
  const { message: reason = 'See the README.' } = Object(cause) as Partial<Error>
  const isUnknown = code === 'origin_not_allowed'
  return `${message}. ${isUnknown ? `Run: npx pi-service origins add ${location.origin}` : reason}`
}
