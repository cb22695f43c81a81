/** Why the checkout cannot be shown: a closed list of codes, each with its fix. @module */

import { settings } from './configure-checkout.ts'

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
  readonly code: CheckoutErrorCode

  /** Whether `reload()`, or the buyer's "Try again", can help. */
  readonly retryable: boolean

  /** Whether the checkout has reported a test environment. */
  readonly isTest: boolean

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
    const isFinal = retryable === false && code !== 'status_failed'
    this.retryable = !isFinal && (retryableCodes as readonly string[]).includes(code)
  }
}

/** Returns the error and its fix for the developer of this page, in test environments. */
export function helpFor({ message, code, cause }: CheckoutError): string {
  const checkout = settings.checkoutOrigin ?? location.origin
  // A response of the shop, or a mistake in its function.
  const reason = cause instanceof Error ? cause.message : 'No reason'
  const server = `${reason}. Read your server's log.`
  const fixes: Partial<Record<CheckoutErrorCode, string>> = {
    handoff_failed: server,
    status_failed: server,
    order_mismatch: 'Let authorize read orderId.',
    blocked_by_csp: `Add to your policy: frame-src ${checkout}`,
    cross_origin_isolated: 'Remove Cross-Origin-Embedder-Policy.',
    origin_not_allowed: `Run: npx pi-service origins add ${location.origin}`,
    unreachable: `No response from ${checkout}. Run: npx pi-checkout doctor`,
  }
  return `${message}. ${fixes[code] ?? "See the element's README."}`
}
