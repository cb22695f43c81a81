/** The fields of a form that was sent. @module */
import type { Request } from 'express'
import type { z } from 'zod'
import { ShopProblem } from './problem.ts'

/** @throws {ShopProblem} If the form has other fields or values than the schema. */
export function readForm<T>(schema: z.ZodType<T>, req: Request): T {
  const form = schema.safeParse(req.body ?? {})
  if (!form.success) throw new ShopProblem('invalid_request')
  return form.data
}
