/** Lifetimes of records, and how often something may happen to an intent. @module */

const minute = 60 * 1000
const hour = 60 * minute

/** Lifetimes in milliseconds. */
export const lifetimes = {
  intent: 24 * hour,
  challenge: 10 * minute,
  /** Time after the creation of an intent, after which its key can be used for another one. */
  idempotencyKey: 48 * hour,
  /** Time for which the hosted page can show the result of a final intent. */
  secretAfterFinal: 10 * minute,
} as const

/** Number of failed confirmations after which an intent fails. */
export const maxConfirmations = 10

/** A confirmation has three events at most, and a cancel or an expiry follows. */
export const maxEvents = 3 * maxConfirmations + 1

/** Number of wrong codes after which a challenge fails. */
export const maxChallengeTries = 3
