/** Lifetimes of records, and the maximum number of attempts. @module */

const minute = 60 * 1000
const hour = 60 * minute

/** Lifetimes in milliseconds. */
export const lifetimes = {
  intent: 24 * hour,
  challenge: 10 * minute,
  /** Time after the creation of an intent, after which the reaper releases its key. */
  idempotencyKey: 48 * hour,
  /** Time for which the hosted page can show the result of a final intent. */
  secretAfterFinal: 10 * minute,
  checkoutSession: 15 * minute,
} as const

/** Number of failed confirmations after which an intent fails. The column `confirms` has a constraint of 10. */
export const maxFailedConfirmations = 10

/** Number of wrong codes after which a challenge fails. The column `tries` has a constraint of 3. */
export const maxChallengeTries = 3
