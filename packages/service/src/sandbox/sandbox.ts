/** The sandbox of one instance, which controls test environments: its request log, its faults, and its routes. @module */
import { routes } from '../../shared/routes.ts'
import type { Sessions } from '../checkout/sessions.ts'
import type { App } from '../http/app.ts'
import { notFound } from '../http/problem.ts'
import type { IntentStore, StoreAndClock } from '../intents/store.ts'
import type { Authenticator } from '../merchants/authenticate.ts'
import { type Environment, findEnvironment } from '../merchants/environments.ts'
import { addEnvironmentRoutes } from './environment-routes.ts'
import { createFaultRules } from './faults.ts'
import { addIntentRoutes } from './intent-routes.ts'
import { createRequestLog } from './request-log/request-log.ts'
import { addRequestRoutes } from './request-routes.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Test environment in the path of the sandbox API. */
    readonly environment: Environment
  }
}

type Sandbox = Readonly<ReturnType<typeof createSandbox>>

export interface SandboxRoutesOptions extends Sandbox, StoreAndClock {
  readonly authenticator: Authenticator
  readonly intents: IntentStore
  readonly sessions: Sessions
  readonly publicUrl: string
}

export function createSandbox(now: () => Date) {
  return { requestLog: createRequestLog(now), faults: createFaultRules() }
}

export function addSandboxRoutes(app: App, options: SandboxRoutesOptions): void {
  app.decorateRequest('environment', null as never)
  // Live environments do not exist for the sandbox.
  app.addHook('onRequest', async (request) => {
    if (!request.routeOptions.url?.startsWith(environmentPath)) return
    const { id } = request.params as { readonly id: string } // The path has it.
    const environment = await findEnvironment(options.db, id)
    if (environment?.mode !== 'test') {
      throw notFound('No test environment has this id. GET /_sandbox/environments lists them.')
    }
    Object.assign(request, { environment })
  })
  addEnvironmentRoutes(app, options)
  addIntentRoutes(app, options)
  addRequestRoutes(app, options)
}

const environmentPath = routes.deleteEnvironment.path
