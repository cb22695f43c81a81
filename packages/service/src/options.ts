/** The parts of an instance, which its routes share. Each route takes what it uses. @module */
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { createSessions } from './checkout/sessions.ts'
import type { Config } from './config.ts'
import { createRateLimits } from './http/rate-limit.ts'
import { createIntentStore } from './intents/store.ts'
import { createAuthenticator } from './merchants/authenticate.ts'
import { createFaultRules } from './sandbox/faults.ts'
import { createRequestLog } from './sandbox/request-log/request-log.ts'
import type { SecretKeys } from './secret-keys.ts'
import type { Database } from './store/database.ts'
import { createWaits } from './waiting/waits.ts'

interface Given {
  readonly db: Database
  readonly keys: SecretKeys
  readonly log: Logger
  readonly now: () => Date
  /** Origins of the API with the hosted page, and of the test bank. */
  readonly publicUrl: string
  readonly challengeUrl: string
  /** Aborted before the service stops. It is not ready then. */
  readonly draining: AbortSignal
  /** Aborted when the service stops: it ends waits, and the delays of faults. */
  readonly stopping: AbortSignal
}

export type AppOptions = Readonly<ReturnType<typeof createOptions>>

export function createOptions(config: Config, given: Given) {
  const { db, keys, now, challengeUrl, stopping } = given
  const intents = createIntentStore({ db, now })
  return {
    ...given,
    authenticator: createAuthenticator(db, now),
    limits: createRateLimits(config),
    intents,
    sessions: createSessions({ intents, keys, now, challengeUrl }),
    waits: createWaits({ db, now }, stopping),
    requestLog: createRequestLog(now),
    faults: createFaultRules(),
    adminToken: randomBytes(32).toString('base64url'),
    sandboxFrom: config.sandboxFrom,
    /** Requests whose response is not known yet, also of clients that have left. */
    running: new Set<FastifyRequest>(),
  }
}
