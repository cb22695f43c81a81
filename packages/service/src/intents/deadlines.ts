/** Lifetimes of records, and when time alone changes an intent. @module */
import { isFinal } from '@pi-checkout/contract'
import { type Intent, settlementOf } from './intent.ts'

const minute = 60 * 1000
const hour = 60 * minute

/** In milliseconds. */
export const lifetimes = {
  intent: 24 * hour,
  challenge: 10 * minute,
  /** Time for which the hosted page can show the result of a final intent. */
  secretAfterFinal: 10 * minute,
} as const

/** Returns when time changes the intent next, or `null` if it does not. */
export function dueAt(intent: Intent): Date | null {
  if (isFinal(intent.status)) return null
  if (intent.status === 'processing') {
    const settlement = settlementOf(intent)
    return settlement && new Date(settlement.at)
  }
  const end = expiresAt(intent)
  const challenge = intent.state?.challenge
  if (!challenge) return end
  const challengeEnd = new Date(challenge.expiresAt)
  return challengeEnd < end ? challengeEnd : end
}

export function expiresAt({ createdAt }: Pick<Intent, 'createdAt'>): Date {
  return new Date(createdAt.getTime() + lifetimes.intent)
}
