/** Routes of the sandbox, which controls test environments. @module */
import { z } from 'zod'
import { type RouteName, routes } from '../../shared/routes.ts'
import { readPage } from '../checkout/pages.ts'
import { toolPageHeaders } from '../http/page-headers.ts'
import { type Handler, json, page, redirect } from '../http/response.ts'
import { environmentRoutes, noEnvironment } from './environment-routes.ts'
import { intentRoutes } from './intent-routes.ts'
import { parseBody } from './parse-request.ts'
import { resetEnvironments } from './reset.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'

export function sandboxRoutes(options: SandboxRoutesOptions) {
  const { db, hostedFolder, forget } = options
  return {
    ...environmentRoutes(options),
    ...intentRoutes(options),

    inspectorFolder: () => redirect(routes.inspector.path),
    // A static page. The fragment of the printed link contains the admin token, and is not sent.
    inspector: () => page(toolPageHeaders, readPage(hostedFolder, 'inspector')),

    reset: async (call) => {
      const rule = 'Send {"environment": id of a test environment}, or {} for all of them.'
      const { environment } = await parseBody(call, ResetSchema, rule)
      const deleted = await resetEnvironments(db, environment)
      if (deleted === undefined) throw noEnvironment()
      forget(environment)
      return json({ deleted })
    },
  } satisfies Partial<Record<RouteName, Handler>>
}

const ResetSchema = z.strictObject({
  environment: z
    .string()
    .regex(/^\w{1,128}$/)
    .optional(),
})
