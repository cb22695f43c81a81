/** Serializes the result that a confirmation stores while its challenge is open. @module */
import { randomBase62 } from '../ids.ts'
import type { Cause } from '../intents/lifecycle.ts'
import { type DeclineReason, declines, type ProviderResult } from '../provider/acquirer.ts'

/** Serializes a result, such as `authorised`, `declined:lost_card`, or `declined_hard:stolen_card`. */
export function writeProviderResult(result: ProviderResult): string {
  if (result.result === 'authorised') return result.result
  return `${result.hard ? 'declined_hard' : 'declined'}:${result.decline}`
}

export function readProviderResult(text: string): ProviderResult {
  const [result, decline] = text.split(':')
  if (result === 'authorised') return { result }
  // `writeProviderResult` wrote this column, so the reason is valid.
  return { result: 'declined', decline: decline as DeclineReason, hard: result === 'declined_hard' }
}

export function transitionCause(result: ProviderResult): Cause {
  if (result.result === 'authorised') {
    return { type: 'authorised', providerPaymentId: newProviderPaymentId() }
  }
  return { type: 'declined', failure: declines[result.decline], hard: result.hard }
}

export function newProviderPaymentId(): string {
  return `sim_${randomBase62(24)}`
}

/** Cause of a challenge that the buyer cancels, at the hosted page or at the test bank. */
export const challengeCanceled = {
  type: 'challenge_failed',
  failure: {
    code: 'authentication_failed',
    declineCode: 'authentication_canceled',
    message: 'The confirmation was not finished. Try again or use another card.',
  },
} as const satisfies Cause
