/** Names, values, and limits that the specification does not show. @module */

/** Statuses of a Payment Intent. The last four are final. */
export const paymentIntentStatuses = [
  'requires_payment_method',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'canceled',
  'expired',
] as const

/** A status that this version supports. */
export type PaymentIntentStatus = (typeof paymentIntentStatuses)[number]

/** Group of statuses that a merchant treats alike. */
export type Phase = 'open' | 'processing' | 'paid' | 'failed' | 'unknown'

/**
 * Returns the phase of a status.
 *
 * @param status - `status` of a Payment Intent.
 * @returns `unknown`, never `paid`, for a status that this version does not support.
 * @example
 * phaseOf('succeeded') // 'paid'
 */
export function phaseOf(status: string): Phase {
  return phases.get(status) ?? 'unknown'
}

/** Returns whether a status is final. */
export function isFinal(status: string): boolean {
  return ['paid', 'failed'].includes(phaseOf(status))
}

// A Map: an object would return a value for 'constructor'.
const phases: ReadonlyMap<string, Phase> = new Map([
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
] satisfies [PaymentIntentStatus, Phase][])

/** An identifier that is safe in a path. It cannot be `..` or contain `/`. */
export const paymentIntentIdPattern = /^[\w-]{1,128}$/

/** `pi_sk_test_` or `pi_sk_live_`, 30 random characters, and a checksum of 6. */
export const apiKeyPattern = /^pi_sk_(test|live)_([A-Za-z0-9]{30})([A-Za-z0-9]{6})$/

/** Accepted values of the `Api-Version` header. */
export const apiVersions = ['2026-11-20'] as const

/** Limits of a request. Lengths are in code points, sizes in bytes of UTF-8. The specification sets `orderId`. */
export const limits = {
  amount: Number.MAX_SAFE_INTEGER,
  orderId: 32,
  customerId: 64,
  customerEmail: 254,
  customerName: 128,
  metadataKeys: 50,
  metadataKey: 40,
  metadataValue: 500,
  metadataBytes: 16 * 1024,
  idempotencyKey: 255,
  requestBytes: 64 * 1024,
  requestDepth: 5,
} as const
