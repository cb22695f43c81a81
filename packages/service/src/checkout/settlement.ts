/**
 * What the provider will answer, in the form in which an attempt keeps it while its challenge runs.
 *
 * Only the answer is kept; the card that led to it is forgotten.
 *
 * @module
 */
import { randomBase62 } from '../identifiers.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { describeDecline } from '../provider/acquirer.ts'
import type { Decline, Settlement } from '../provider/test-cards.ts'

/** Writes a settlement as text: `authorised`, `declined:lost_card`, `declined_hard:stolen_card`. */
export function writeSettlement(settlement: Settlement): string {
  if (settlement.result === 'authorised') return settlement.result
  return `${settlement.hard ? 'declined_hard' : 'declined'}:${settlement.decline}`
}

/** Reads it back. */
export function readSettlement(text: string): Settlement {
  const [result, decline] = text.split(':')
  if (result === 'authorised') return { result }
  // Only `writeSettlement` writes this column.
  return { result: 'declined', decline: decline as Decline, hard: result === 'declined_hard' }
}

/** The cause that a settlement is to an intent that is processing. */
export function causeOf(settlement: Settlement): Cause {
  if (settlement.result === 'authorised') {
    return { type: 'authorised', providerPaymentId: newProviderPaymentId() }
  }
  return { type: 'declined', failure: describeDecline(settlement), hard: settlement.hard }
}

/** An identifier as an acquirer would give it. */
export function newProviderPaymentId(): string {
  return `sim_${randomBase62(24)}`
}
