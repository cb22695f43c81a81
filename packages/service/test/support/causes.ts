/** Causes that change an intent, as the routes pass them to `decide`. @module */
import type { TestCardName } from '@pi-checkout/contract/sandbox'
import type { Cause } from '../../src/intents/lifecycle.ts'
import { authorizeTestCard } from '../../src/provider/acquirer.ts'

export function pay(card: TestCardName = 'visa', confirmationId = 'attempt-1', version = 1): Cause {
  const authorization = authorizeTestCard(card, { expMonth: 12, expYear: 2040 })
  return { type: 'confirmed', confirmationId, version, authorization, providerPaymentId: 'sim_1' }
}

export function opened(token = 'a', returnPage: string | null = null): Cause {
  return { type: 'challenge_opened', token, returnPage }
}

type Display = 'challenge' | 'redirect'

export function enter(token = 'a', next = 'b', display: Display = 'challenge'): Cause {
  return { type: 'challenge_entered', display, token, next }
}

export function answer(code: string | undefined, token = 'b', next = 'c'): Cause {
  const ids = { token, next, providerPaymentId: 'sim_1' }
  return { type: 'challenge_answered', display: 'challenge', code, ...ids }
}

export function simulated(outcome: Extract<Cause, { type: 'simulated' }>['outcome']): Cause {
  const ids = { confirmationId: `sandbox-${outcome}`, providerPaymentId: 'sim_2' }
  return { type: 'simulated', outcome, ...ids }
}

/** Causes after which the test bank waits for a code with the token `b`. */
export const asked: readonly Cause[] = [pay('challenge'), opened(), enter()]
