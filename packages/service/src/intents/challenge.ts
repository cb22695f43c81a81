/** Steps of a bank's challenge: pure functions. Each step needs the newest token and replaces it. @module */
import { challengeCodes } from '@pi-checkout/contract/sandbox'
import { type Challenge, type Intent, lastConfirmation, stateOf } from './intent.ts'
import { type Failure, fail, failures, move, settle } from './transition.ts'

/** A step at the test bank, with the hashes of its token and of the next one. */
export interface ChallengeStep {
  readonly display: Challenge['type']
  readonly token: string
  readonly next: string
}

/** Number of wrong codes after which a challenge fails. */
export const maxChallengeTries = 3

/** Changes the open challenge. Returns `undefined` if there is none. */
export function withChallenge(intent: Intent, change: Partial<Challenge>): Intent | undefined {
  const state = stateOf(intent)
  if (!state.challenge) return undefined
  return { ...intent, state: { ...state, challenge: { ...state.challenge, ...change } } }
}

/** Opens the code form. Returns `undefined` if the token is not the newest one of an open challenge. */
export function enter(intent: Intent, step: ChallengeStep): Intent | undefined {
  return isNext(intent, step) ? withChallenge(intent, { token: step.next }) : undefined
}

/** Submits a code. Returns `undefined` if the token is not the newest one of an open challenge. */
export function answer(
  intent: Intent,
  step: ChallengeStep & { readonly code: string | undefined; readonly providerPaymentId: string },
  at: Date,
): Intent | undefined {
  if (!isNext(intent, step)) return undefined
  if (step.code === challengeCodes.passes) return pass(intent, step.providerPaymentId, at)
  const failure = failureOf(step.code)
  if (failure) return fail(intent, 'challenge_failed', at, failure)
  const tries = (stateOf(intent).challenge?.tries ?? 0) + 1
  if (tries < maxChallengeTries) return withChallenge(intent, { token: step.next, tries })
  return fail(intent, 'challenge_failed', at, failures.denied)
}

function isNext(intent: Intent, { display, token }: ChallengeStep): boolean {
  const { challenge } = stateOf(intent)
  return challenge?.type === display && challenge.token === token
}

function pass(intent: Intent, providerPaymentId: string, at: Date): Intent {
  const passed = move(intent, at, { cause: 'challenge_passed', status: 'processing' })
  const outcome = lastConfirmation(intent)?.outcome
  if (!outcome || outcome.result === 'pending') return passed
  return settle(passed, outcome, { at, providerPaymentId })
}

/** Returns `undefined` for a wrong code. */
function failureOf(code: string | undefined): Failure | undefined {
  if (code === undefined) return failures.canceled
  if (code === challengeCodes.denied) return failures.denied
  return code === challengeCodes.bankError ? failures.unavailable : undefined
}
