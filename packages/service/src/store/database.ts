/** What the rest of the service uses of a store. @module */
import type { Statement } from './sql.ts'

/**
 * What has changed: an intent has a new version; or keys, origins, or clocks of environments may have changed, or intents
 * may have been deleted, or it is not known which ones have changed.
 */
export type Change = { readonly intentId: string } | 'environments'

export interface Database {
  /** Runs a statement, which may share a commit with others. @throws {StoreError} */
  query<Row>(statement: Statement): Promise<Row[]>
  /** Runs text without values in one transaction, after those of other instances. */
  script(text: string): Promise<void>
  /** Commits something. @throws {StoreError} If the store can't write. */
  probe(): Promise<void>
  /** Tells the listeners of all instances about a committed change. */
  notify(change: Change): void
  listen(listener: (change: Change) => void): void
  close(): Promise<void>
}

/** A store that publishes no change. */
export type Pool = Omit<Database, 'notify' | 'listen'>
