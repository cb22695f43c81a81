/**
 * Where the two operations keep their intents.
 *
 * @module
 */
import type { Database } from '../db/database.ts'
import { type Creation, creations, type Draft } from './creation.ts'
import { retrievals } from './retrieval.ts'
import { type IntentKey, type RetrievedIntent, settleDue } from './store.ts'

/** Where the two operations keep their intents. */
export interface IntentStore {
  readonly create: (draft: Draft) => Promise<Creation>
  /** Reads without applying deadlines; `undefined` for unknown and foreign alike. */
  readonly find: (key: IntentKey) => Promise<RetrievedIntent | undefined>
  /** Applies the deadlines that have passed. */
  readonly settle: (intent: RetrievedIntent, now: Date) => Promise<RetrievedIntent | undefined>
}

/** Keeps them in the database, many requests in one statement. One per instance. */
export function intentStore(db: Database): IntentStore {
  return {
    create: creations(db),
    find: retrievals(db),
    settle: async (intent, now) => await settleDue(db, intent, now),
  }
}
