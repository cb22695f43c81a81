/** The sandbox of one instance, which controls test environments: its request log, its faults, and its routes. @module */
import type { Sessions } from '../checkout/sessions.ts'
import type { App } from '../http/app.ts'
import type { IntentStore, StoreAndClock } from '../intents/store.ts'
import type { Authenticator } from '../merchants/authenticate.ts'
import { addEnvironmentRoutes } from './environment-routes.ts'
import { createFaultRules } from './faults/queued-rules.ts'
import { addIntentRoutes } from './intent-routes.ts'
import { createRequestLog } from './request-log/request-log.ts'
import { addRequestRoutes } from './request-routes.ts'

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
  addEnvironmentRoutes(app, options)
  addIntentRoutes(app, options)
  addRequestRoutes(app, options)
}
