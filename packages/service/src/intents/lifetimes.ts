/**
 * How long each record is valid, and how often it can be tried.
 *
 * @module
 */

const minute = 60 * 1000
const hour = 60 * minute

/** Milliseconds. */
export const lifetimes = {
  intent: 24 * hour,
  challenge: 10 * minute,
  /** The reaper releases a key this long after its intent was created. */
  idempotencyKey: 48 * hour,
  /** The hosted page can show the result this long after the intent became final. */
  secretAfterFinal: 10 * minute,
  checkoutSession: 15 * minute,
} as const

/** Failed confirmations of one intent, after which it fails. */
export const maxFailedConfirmations = 10

/** Wrong codes of one challenge, after which it fails. */
export const maxChallengeTries = 3
