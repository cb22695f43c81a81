/** The parts of an instance, as its routes get them. Each route takes what it uses. @module */
import type { Sessions } from './checkout/sessions.ts'
import type { SandboxAccess } from './config.ts'
import type { HttpOptions } from './http/app.ts'
import type { HealthOptions } from './http/health.ts'
import type { RateLimits } from './http/rate-limit.ts'
import type { IntentStore } from './intents/store.ts'
import type { Authenticator } from './merchants/authenticate.ts'
import type { FaultRules } from './sandbox/faults.ts'
import type { RequestLog } from './sandbox/request-log/request-log.ts'
import type { SecretKeys } from './secret-keys.ts'
import type { Waits } from './waiting/waits.ts'

/** What the routes of an instance share. */
export interface AppOptions extends HealthOptions, Omit<HttpOptions, 'server'> {
  readonly keys: SecretKeys
  readonly now: () => Date
  /** Origins of the API with the hosted page, and of the test bank. */
  readonly publicUrl: string
  readonly challengeUrl: string
  readonly hostedFolder: string
  readonly authenticator: Authenticator
  readonly limits: RateLimits
  readonly intents: IntentStore
  readonly sessions: Sessions
  readonly waits: Waits
  readonly requestLog: RequestLog
  readonly faults: FaultRules
  readonly adminToken: string
  readonly sandboxFrom: SandboxAccess
  /** Aborted when the service stops: it ends the delays of faults. */
  readonly stopping: AbortSignal
}
