/**
 * The rules that break the next requests of one test environment, over HTTP.
 *
 * @module
 */
import { Router } from 'express'
import { z } from 'zod'
import { faultOperations } from '../../shared/sandbox-api.ts'
import type { Context } from '../context.ts'
import { only } from '../http/method-not-allowed.ts'
import { ProblemError } from '../http/problem.ts'
import { testEnvironment } from './environment-routes.ts'
import { type FaultRules, faultNames, readFault } from './faults.ts'
import { read } from './read.ts'
import type { Sandbox } from './sandbox.ts'

/** Returns the routes of `/environments/:id/faults`. */
export function faultRoutes(context: Context, faults: FaultRules, { changes }: Sandbox): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router
    .route('/environments/:id/faults')
    .get(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      response.json({ rules: faults.list(id) })
    })
    .post(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      const rule = await read(
        request,
        FaultRule,
        `Send {"on": "create" or "retrieve", "do": one of ${faultNames}, "times": 1 to 1000}.`,
      )
      faults.add(id, rule)
      changes.announce('faults')
      response.status(201).json({ rules: faults.list(id) })
    })
    .delete(async (request, response) => {
      const { id } = await testEnvironment(context, request.params.id)
      faults.clear(id)
      changes.announce('faults')
      response.json({ rules: [] })
    })
    .all(only('GET, HEAD, POST, DELETE'))
  router.delete('/environments/:id/faults/:rule', async (request, response) => {
    const { id } = await testEnvironment(context, request.params.id)
    if (!faults.remove(id, Number(request.params.rule))) {
      throw new ProblemError(
        'not_found',
        'This environment has no such rule; GET /_sandbox/environments/:id/faults lists its rules.',
      )
    }
    changes.announce('faults')
    response.json({ rules: faults.list(id) })
  })
  router.all('/environments/:id/faults/:rule', only('DELETE'))
  return router
}

const FaultRule = z.strictObject({
  on: z.enum(faultOperations),
  do: z.string().refine((text) => readFault(text) !== undefined),
  times: z.int().min(1).max(1000).default(1),
})
