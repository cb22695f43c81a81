/**
 * Reads the query of a control request. What a route does not know is ignored.
 *
 * @module
 */
import { paymentIntentIdPattern } from '@pi-checkout/contract'
import type { Request } from 'express'
import { ProblemError } from '../http/problem.ts'

export function queryOf({ url }: Request): URLSearchParams {
  return new URL(url, 'http://localhost').searchParams
}

/** The id of a Payment Intent; `undefined` when none is given. */
export function readId(request: Request, name: 'before' | 'after'): string | undefined {
  const id = queryOf(request).get(name)
  if (id === null || paymentIntentIdPattern.test(id)) return id ?? undefined
  throw new ProblemError('validation_failed', `${name} must be the id of a Payment Intent.`)
}

/** `?q=` of a list; `null`: everything. */
export function readSought(request: Request): string | null {
  const sought = queryOf(request).get('q')?.trim() || null
  if (sought === null || sought.length <= 200) return sought
  throw new ProblemError('validation_failed', 'q must be a text of at most 200 characters.')
}
