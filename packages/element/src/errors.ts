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
  const texts: Partial<Record<CheckoutErrorCode, string>> = {
    not_configured: 'Call configureCheckout.',
    handoff_failed: `${messageOf(cause, 'fetchHandoff')}. Read your server's log.`,
    status_failed: `${messageOf(cause, 'fetchStatus')}. Read your server's log.`,
    invalid_base_path: 'base-path: must be a path such as /checkout.',
    order_mismatch: 'Your server returned another order than order-id: let authorize read orderId.',
    insecure_context: 'Serve this page over https.',
    invalid_values: 'Pass the id unchanged.',
    blocked_by_csp: `Add to your policy: frame-src ${checkout}`,
    cross_origin_isolated: 'Remove Cross-Origin-Embedder-Policy.',
    foreign_frame: 'Open this page in its own window: another site has it in a frame.',
    origin_not_allowed: `Run: npx pi-service origins add ${location.origin}`,
    protocol_mismatch: 'Update the element.',
    unauthorized: 'Create a new handoff.',
  }
  const fix = texts[code] ?? `No response from ${checkout}. Run: npx pi-checkout doctor`
  return `${message}. ${fix}`
}

function messageOf(cause: unknown, name: string): string {
  return cause instanceof Error ? cause.message : `${name} failed`
}
