/** Rejects bodies, queries, and paths that do not match their schema, with the rules that they break. @module */
import { type FieldErrors, fieldErrors } from '@pi-checkout/contract'
import type { z } from 'zod'
import { ProblemError } from './problem.ts'

/** Returns the problem of an input. It lists invalid fields without their values. */
export function inputProblem(error: z.ZodError, input: unknown, part = 'body'): ProblemError {
  const found = fieldErrors(error, input)
  const detail = detailOf(found)
  if (part !== 'body') return new ProblemError('validation_failed', detail)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return new ProblemError('invalid_body', detail, found)
  }
  const isUnknown = found.errors.some(({ code }) => code === 'unknown_parameter')
  return new ProblemError(isUnknown ? 'unknown_parameter' : 'validation_failed', detail, found)
}

const maxInDetail = 5

function detailOf({ errors, errorsOmitted }: FieldErrors): string {
  const listed = errors.slice(0, maxInDetail).map(({ detail }) => detail)
  const more = errors.length + errorsOmitted - listed.length
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}
