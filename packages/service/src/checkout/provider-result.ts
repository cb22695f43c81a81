/**
 * The provider's result, in the form in which a confirmation stores it while its challenge is open.
 *
 * Only the result is stored, never the card.
 *
 * @module
 */
import { randomBase62 } from '../ids.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { describeDecline } from '../provider/acquirer.ts'
import type { Decline, Settlement } from '../provider/test-cards.ts'

/** Writes a settlement as text: `authorised`, `declined:lost_card`, `declined_hard:stolen_card`. */
export function writeProviderResult(settlement: Settlement): string {
  if (settlement.result === 'authorised') return settlement.result
  return `${settlement.hard ? 'declined_hard' : 'declined'}:${settlement.decline}`
}

/** Reads it back. */
export function readProviderResult(text: string): Settlement {
  const [result, decline] = text.split(':')
  if (result === 'authorised') return { result }
  // Only `writeProviderResult` writes this column.
  return { result: 'declined', decline: decline as Decline, hard: result === 'declined_hard' }
}

/** The cause that a settlement is to an intent that is processing. */
export function transitionCause(settlement: Settlement): Cause {
  if (settlement.result === 'authorised') {
    return { type: 'authorised', providerPaymentId: newProviderPaymentId() }
  }
  return { type: 'declined', failure: describeDecline(settlement), hard: settlement.hard }
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
