/**
 * Every name and value that the specification does not show, in one file. No zod here.
 *
 * Whoever learns the real service's names begins here. The names of the role fields stand in
 * `payment-intent.ts` and its schemas, which this file feeds with statuses and limits.
 *
 * @module
 */

/** Statuses of a Payment Intent; the last four are final. */
export const paymentIntentStatuses = [
  'requires_payment_method',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'canceled',
  'expired',
] as const

export type PaymentIntentStatus = (typeof paymentIntentStatuses)[number]

/** Statuses that no later event changes. */
export const finalStatuses = ['succeeded', 'failed', 'canceled', 'expired'] as const

/** Statuses in which the buyer may still act, or leave. */
export const statusesBeforeMethod = ['requires_payment_method', 'requires_action'] as const

/** What a merchant needs to know of a status. */
export type PaymentIntentPhase = 'open' | 'processing' | 'paid' | 'failed' | 'unknown'

/** Tells the phase of a status; one that this version does not know is `unknown`, never `paid`. */
export function phaseOf(status: string): PaymentIntentPhase {
  return phases.get(status) ?? 'unknown'
}

/** Tells whether no later event changes this status. */
export function isFinal(status: string): boolean {
  return (finalStatuses as readonly string[]).includes(status)
}

// A Map, because an object would answer for 'constructor'.
const phases: ReadonlyMap<string, PaymentIntentPhase> = new Map([
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
] satisfies [PaymentIntentStatus, PaymentIntentPhase][])

/** An identifier that may stand in a path: `..` and `a/b` would walk elsewhere. */
export const paymentIntentIdPattern = /^[\w-]{1,128}$/

/** `pi_sk_test_` or `pi_sk_live_`, 30 random characters, 6 of checksum. */
export const apiKeyPattern = /^pi_sk_(test|live)_([A-Za-z0-9]{30})([A-Za-z0-9]{6})$/

/** Values of the `Api-Version` header that the service takes. */
export const apiVersions = ['2026-11-20'] as const

/** Codes of the stand-in issuer's challenge. */
export const challengeAnswers = { passes: '1234', denied: '0000', bankError: '9999' } as const

/** Lengths are code points, sizes bytes of UTF-8, times milliseconds. `orderId` is the specification's. */
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
  failedConfirms: 10,
  challengeTries: 3,
  intentLifetime: 24 * 60 * 60 * 1000,
  challengeLifetime: 10 * 60 * 1000,
  idempotencyRetention: 24 * 60 * 60 * 1000,
  idempotencyPurge: 48 * 60 * 60 * 1000,
  secretAfterFinal: 10 * 60 * 1000,
  checkoutSession: 15 * 60 * 1000,
} as const
