/**
 * Errors of the private API, in words for developers who build on it.
 *
 * @module
 */
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from '../http/problem.ts'

/** Returns the error for a rejected call: the same for every `id` and `clientSecret` that are not accepted. */
export function checkoutApiError(code: keyof typeof details): ProblemError {
  return new ProblemError(code, details[code])
}

const details = {
  payment_intent_not_found:
    'There is no such Payment Intent, or this secret does not open it; ask the shop for a new one.',
  intent_finalized: 'The Payment Intent is final; read it again.',
  attempt_in_progress: 'Another attempt is in progress; wait for its result.',
  version_conflict: 'The Payment Intent was changed by another request; read it again.',
} as const satisfies Partial<Record<ProblemCode, string>>
