/** Routes of the sandbox, which controls test environments. @module */
import { routes } from '../../shared/routes.ts'
import type { App } from '../http/app.ts'
import { json } from '../http/send.ts'
import { addEnvironmentRoutes, noEnvironment } from './environment-routes.ts'
import { addIntentRoutes } from './intent-routes.ts'
import { ResetSchema } from './parse-request.ts'
import { resetEnvironments } from './reset.ts'
import type { SandboxRoutesOptions } from './sandbox.ts'

export function addSandboxRoutes(app: App, options: SandboxRoutesOptions): void {
  const { db, forget } = options
  addEnvironmentRoutes(app, options)
  addIntentRoutes(app, options)

  app.post(routes.reset.path, { schema: { body: ResetSchema } }, async ({ body }, reply) => {
    const deleted = await resetEnvironments(db, body.environment)
    if (deleted === undefined) throw noEnvironment()
    forget(body.environment)
    return json(reply, { deleted })
  })
}
