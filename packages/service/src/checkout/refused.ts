/**
 * Why the private API refuses, in words for whoever builds on it.
 *
 * @module
 */
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from '../http/problem.ts'

/** Makes the answer to a refused call. It says the same of every pair that is not accepted. */
export function refused(code: keyof typeof refusals): ProblemError {
  return new ProblemError(code, refusals[code])
}

const refusals = {
  payment_intent_not_found:
    'There is no such Payment Intent, or this secret does not open it; ask the shop for a new one.',
  intent_finalized: 'The Payment Intent is final; read it again.',
  attempt_in_progress: 'Another attempt is in progress; wait for its result.',
  version_conflict: 'The Payment Intent has moved on; read it again.',
} as const satisfies Partial<Record<ProblemCode, string>>
