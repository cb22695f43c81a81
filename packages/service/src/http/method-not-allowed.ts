/**
 * The response to a method that a path does not have.
 *
 * @module
 */
import type { RequestHandler } from 'express'
import { ProblemError } from './problem.ts'

/**
 * Creates the problem.
 *
 * @param allow Methods of the path, as in the header `Allow`.
 */
export function methodNotAllowed(allow: string): ProblemError {
  return new ProblemError('method_not_allowed', `Only ${allow} is allowed here.`, {
    headers: { allow },
  })
}

/** After files: rejects every method but `GET` and `HEAD`, which have found nothing. */
export const onlyGet: RequestHandler = ({ method }, _response, next) => {
  next(method === 'GET' || method === 'HEAD' ? undefined : methodNotAllowed('GET, HEAD'))
}

/** Returns the last handler of a path: it rejects every method that no handler before it took. */
export function only(allow: string): RequestHandler {
  return (_request, _response, next) => next(methodNotAllowed(allow))
}
