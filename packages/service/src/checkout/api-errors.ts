/** Errors of the private API. @module */
import type { ProblemCode } from '@pi-checkout/contract'
import { ProblemError } from '../http/problem.ts'

/** Returns the error for a rejected call. An unknown `id` and an invalid `clientSecret` get the same error. */
export function checkoutApiError(code: keyof typeof details): ProblemError {
  return new ProblemError(code, details[code])
}

const details = {
  payment_intent_not_found:
    'No Payment Intent has this id, or its clientSecret is not valid. Request a new one from the shop.',
  intent_finalized: 'The Payment Intent is final. Read it again.',
  confirmation_in_progress: 'Another confirmation is in progress. Wait for its result.',
  version_conflict: 'The Payment Intent was changed by another request. Read it again.',
} as const satisfies Partial<Record<ProblemCode, string>>
