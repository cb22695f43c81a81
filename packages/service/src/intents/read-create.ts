/** Parses a create by the contract's schema, which has the rules, and rejects others with a problem. @module */
import {
  type CreatePaymentIntent,
  CreatePaymentIntentSchema,
  type FieldErrors,
  fieldErrors,
} from '@pi-checkout/contract'
import { readJson } from '../http/json.ts'
import { ProblemError } from '../http/problem.ts'

export function readCreate(bytes: Buffer): CreatePaymentIntent {
  const input = readJson(bytes)
  const result = CreatePaymentIntentSchema.safeParse(input)
  if (result.success) return result.data
  const found = fieldErrors(result.error, input)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw new ProblemError('invalid_body', detailOf(found), found)
  }
  const unknown = found.errors.some(({ code }) => code === 'unknown_parameter')
  throw new ProblemError(
    unknown ? 'unknown_parameter' : 'validation_failed',
    detailOf(found),
    found,
  )
}

const maxInDetail = 5

function detailOf({ errors, errorsOmitted }: FieldErrors): string {
  const listed = errors.slice(0, maxInDetail).map(({ detail }) => detail)
  const more = errors.length + errorsOmitted - listed.length
  return `${listed.join('; ')}${more > 0 ? `; and ${more} more` : ''}.`
}
