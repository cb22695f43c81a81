/**
 * The provider's result, in the form in which a confirmation stores it while its challenge is open.
 *
 * Only the result is stored, never the card.
 *
 * @module
 */
import { randomBase62 } from '../ids.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { type DeclineReason, describeDecline, type ProviderResult } from '../provider/acquirer.ts'

/** Writes a result as text: `authorised`, `declined:lost_card`, `declined_hard:stolen_card`. */
export function writeProviderResult(result: ProviderResult): string {
  if (result.result === 'authorised') return result.result
  return `${result.hard ? 'declined_hard' : 'declined'}:${result.decline}`
}

/** Reads it back. */
export function readProviderResult(text: string): ProviderResult {
  const [result, decline] = text.split(':')
  if (result === 'authorised') return { result }
  // Only `writeProviderResult` writes this column.
  return { result: 'declined', decline: decline as DeclineReason, hard: result === 'declined_hard' }
}

/** Returns the cause that a result is to an intent that is processing. */
export function transitionCause(result: ProviderResult): Cause {
  if (result.result === 'authorised') {
    return { type: 'authorised', providerPaymentId: newProviderPaymentId() }
  }
  return { type: 'declined', failure: describeDecline(result), hard: result.hard }
}

/** An identifier as an acquirer would give it. */
export function newProviderPaymentId(): string {
  return `sim_${randomBase62(24)}`
}

/** The buyer gave a challenge up, at the hosted page or at the test bank. */
export const challengeCanceled = {
  type: 'challenge_failed',
  failure: {
    code: 'authentication_failed',
    declineCode: 'authentication_canceled',
    message: 'The confirmation was not finished. Try again or use another card.',
  },
} as const satisfies Cause
