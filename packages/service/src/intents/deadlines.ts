/** When time alone changes an intent. @module */
import { isFinal } from '@pi-checkout/contract'
import { type Intent, settlementOf } from './intent.ts'
import { lifetimes } from './lifetimes.ts'

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
