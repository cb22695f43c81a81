/**
 * Reads the body of a control request.
 *
 * @module
 */
import type { Request } from 'express'
import type { z } from 'zod'
import { jsonBody } from '../http/body.ts'
import { ProblemError } from '../http/problem.ts'

/** @throws {ProblemError} The body does not fit; the answer says the rule. */
export async function read<Body>(
  request: Request,
  schema: z.ZodType<Body>,
  rule: string,
): Promise<Body> {
  const body = schema.safeParse(await jsonBody(request))
  if (body.success) return body.data
  throw new ProblemError('validation_failed', rule)
}
