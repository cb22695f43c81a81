/** The sandbox of one instance: request log and faults. @module */
import type { Sessions } from '../checkout/sessions.ts'
import type { IntentStore, StoreAndClock } from '../intents/store.ts'
import type { Authenticator } from '../merchants/authenticate.ts'
import { createFaultRules } from './faults/queued-rules.ts'
import { createRequestLog } from './request-log/request-log.ts'

type Sandbox = Readonly<ReturnType<typeof createSandbox>>

export interface SandboxRoutesOptions extends Sandbox, StoreAndClock {
  readonly authenticator: Authenticator
  readonly intents: IntentStore
  readonly sessions: Sessions
  readonly publicUrl: string
  readonly hostedFolder: string
  /** Options that select this store, such as ` --data DIR`. `undefined` for a store in memory. */
  readonly storeOptions: string | undefined
}

export function createSandbox(now: () => Date) {
  const faults = createFaultRules()
  const requestLog = createRequestLog(now)
  /** Forgets all of one test environment, or of all if the id is `undefined`. */
  const forget = (environmentId: string | undefined): void => {
    faults.clear(environmentId)
    requestLog.clear(environmentId)
  }
  return { requestLog, faults, forget }
}
