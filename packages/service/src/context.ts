/**
 * What every part of a running service is given.
 *
 * @module
 */
import type { Logger } from 'pino'
import type { Database } from './db/database.ts'
import type { SecretKeys } from './secret-keys.ts'

/** One running instance. Made once, after both listeners know their ports. */
export interface Context {
  readonly db: Database
  readonly keys: SecretKeys
  /** Takes no bodies, credentials or queries; errors go through `logError`, which masks them. */
  readonly log: Logger
  /** Real time. An environment's own is `timeOf(environment, context.now())`. */
  readonly now: () => Date
  /** Origin of the API and the hosted page, as browsers see it: `http://127.0.0.1:4000`. */
  readonly publicUrl: string
  /** Origin of the challenge page: `http://127.0.0.1:4001`. */
  readonly challengeUrl: string
  /** Folder of the built browser files: the hosted pages and `pi-checkout.js`. */
  readonly hostedFolder: string
}
