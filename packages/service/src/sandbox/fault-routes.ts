/**
 * The rules that break the next requests, over HTTP.
 *
 * @module
 */
import { Router } from 'express'
import { z } from 'zod'
import { ProblemError } from '../http/problem.ts'
import { type FaultRules, faultNames, faultOperations, readFault } from './faults.ts'
import { read } from './read.ts'
import type { Sandbox } from './sandbox.ts'

/** Returns the routes of `/faults`. */
export function faultRoutes(faults: FaultRules, { changes }: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/faults')
    .get((_request, response) => {
      response.json({ rules: faults.list() })
    })
    .post(async (request, response) => {
      const rule = await read(
        request,
        FaultRule,
        `Send {"on": "create" or "retrieve", "do": one of ${faultNames}, "times": 1 to 1000}.`,
      )
      faults.add(rule)
      changes.announce('faults')
      response.status(201).json({ rules: faults.list() })
    })
    .delete((_request, response) => {
      faults.clear()
      changes.announce('faults')
      response.json({ rules: [] })
    })
  router.delete('/faults/:id', (request, response) => {
    if (!faults.remove(Number(request.params.id))) {
      throw new ProblemError(
        'not_found',
        'There is no such rule any more; GET /_sandbox/faults lists them.',
      )
    }
    changes.announce('faults')
    response.json({ rules: faults.list() })
  })
  return router
}

const FaultRule = z.strictObject({
  on: z.enum(faultOperations),
  do: z.string().refine((text) => readFault(text) !== undefined),
  times: z.int().min(1).max(1000).default(1),
})
