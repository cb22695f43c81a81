/** The sandbox of one instance: request log, lint, faults, and notifications. @module */
import type { Logger } from 'pino'
import type { StoreAndClock } from '../intents/intents.ts'
import { logError } from '../log.ts'
import { findEnvironment, findEnvironmentOfIntent } from '../merchants/environments.ts'
import type { SecretKeys } from '../secret-keys.ts'
import { createTopicNotifier } from './event-stream.ts'
import { createFaultRules } from './faults/rules.ts'
import { createLint } from './lint.ts'
import type { LogEntry } from './request-log/logged-request.ts'
import { createRequestLog } from './request-log/request-log.ts'

export type Sandbox = Readonly<ReturnType<typeof createSandbox>>

export interface SandboxRoutesOptions extends Sandbox, StoreAndClock {
  readonly keys: SecretKeys
  readonly publicUrl: string
  readonly hostedFolder: string
  /** Options that select this store, such as ` --data DIR`. `undefined` for a store in memory. */
  readonly storeOptions: string | undefined
  /** Aborted when the service stops. Ends event streams, so that the stop does not wait for them. */
  readonly stopping: AbortSignal
}

export function createSandbox({
  db,
  now,
  log,
  publicUrl,
}: StoreAndClock & { readonly log: Logger; readonly publicUrl: string }) {
  const topics = createTopicNotifier(db)
  const lint = createLint(() => topics.notify('lint'))
  const faults = createFaultRules(() => topics.notify('faults'))

  /** Adds an issue if a page requested a hosted page and its origin is not registered. */
  async function checkOrigin(entry: LogEntry): Promise<void> {
    const { origin } = entry
    if (origin === undefined || origin === publicUrl || entry.environment === null) return
    const environment = await findEnvironment(db, entry.environment)
    if (!environment || environment.allowedOrigins.includes(origin)) return
    lint.add(entry, {
      rule: 'unregistered_origin',
      subject: origin,
      origin,
      detail: `${origin} is not registered for ${environment.merchantName}, so its page shows an error.`,
    })
  }

  const requestLog = createRequestLog({
    now,
    topics,
    findEnvironment: async (id) => await findEnvironmentOfIntent(db, id),
    onEntry: (entry) => {
      lint.check(entry)
      checkOrigin(entry).catch((error: unknown) => {
        logError(log, error, { event: 'Cannot check the origin of a page', level: 'warn' })
      })
    },
  })
  /** Forgets all of one test environment, or of all if the id is `undefined`. */
  const forget = (environmentId: string | undefined): void => {
    faults.clear(environmentId)
    requestLog.clear(environmentId)
    requestLog.clearKeyUses(environmentId)
    lint.clear(environmentId)
  }
  return { topics, requestLog, lint, faults, forget }
}
