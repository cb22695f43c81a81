/** Parses the body and the query of sandbox requests. Ignores unknown query parameters. @module */
import { paymentIntentIdPattern, paymentIntentStatuses } from '@pi-checkout/contract'
import type { z } from 'zod'
import { jsonBody } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { ProblemError } from '../http/problem.ts'

/** Parses a body. @throws {ProblemError} If the body is invalid, with `rule` as `detail`. */
export async function parseBody<Body>(
  { request }: Call,
  schema: z.ZodType<Body>,
  rule: string,
): Promise<Body> {
  const body = schema.safeParse(await jsonBody(request))
  if (body.success) return body.data
  throw new ProblemError('validation_failed', rule)
}

export function readBeforeId({ query }: Call): string | undefined {
  const id = query.get('before')
  if (id === null || paymentIntentIdPattern.test(id)) return id ?? undefined
  throw new ProblemError('validation_failed', 'before must be the id of a Payment Intent.')
}

export function readBeforeNumber({ query }: Call): number {
  const number = query.get('before')
  if (number === null) return Infinity
  if (/^\d{1,15}$/.test(number)) return Number(number)
  throw new ProblemError('validation_failed', 'before must be the number of a request.')
}

export function readStatus({ query }: Call): string | null {
  const status = query.get('status')
  const known: readonly string[] = paymentIntentStatuses
  if (status === null || known.includes(status)) return status
  throw new ProblemError('validation_failed', `status must be one of ${known.join(', ')}.`)
}

export function readSearchTerm({ query }: Call): string | null {
  const term = query.get('q')?.trim() || null
  if (term === null || term.length <= 200) return term
  throw new ProblemError('validation_failed', 'q must have at most 200 characters.')
}
