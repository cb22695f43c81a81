/**
 * Sandbox control: for whoever holds this start's admin token, on this machine, never for live.
 *
 * @module
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Router } from 'express'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { jsonBody } from '../http/body.ts'
import { jsonHeaders } from '../http/headers.ts'
import { ProblemError } from '../http/problem.ts'
import { writeExport } from './export.ts'
import { type FaultRules, faultNames, faultOperations, readFault } from './faults.ts'

/** Returns the routes under `/_sandbox`. */
export function sandboxRouter(
  context: Context,
  {
    adminToken,
    faults,
  }: {
    readonly adminToken: string
    readonly faults: FaultRules
  },
): Router {
  const router = Router({ caseSensitive: true, strict: true })
  router.use((request, response, next) => {
    response.set(jsonHeaders)
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '') ?? []
    if (timingSafeEqual(digest(token), digest(adminToken))) return next()
    throw new ProblemError(
      'invalid_admin_token',
      'Send the admin token that this start of the service printed, as Authorization: Bearer <TOKEN>.',
      { headers: { 'www-authenticate': 'Bearer' } },
    )
  })
  router
    .route('/faults')
    .get((_request, response) => {
      response.json({ rules: faults.list() })
    })
    .post(async (request, response) => {
      const rule = FaultRule.safeParse(await jsonBody(request))
      if (!rule.success) {
        throw new ProblemError(
          'validation_failed',
          `Send {"on": "create" or "retrieve", "do": one of ${faultNames}, "times": 1 to 1000}.`,
        )
      }
      faults.add(rule.data)
      response.status(201).json({ rules: faults.list() })
    })
    .delete((_request, response) => {
      faults.clear()
      response.json({ rules: [] })
    })
  router.get('/export', async (_request, response) => {
    await writeExport(context, response)
  })
  return router
}

const FaultRule = z.strictObject({
  on: z.enum(faultOperations),
  do: z.string().refine((text) => readFault(text) !== undefined),
  times: z.int().min(1).max(1000).default(1),
})

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
