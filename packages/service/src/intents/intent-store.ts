/**
 * Where the two operations keep their intents.
 *
 * @module
 */
import type { Database } from '../db/database.ts'
import { type CreateResult, createBatch, type NewIntent } from './create-batch.ts'
import { findBatch } from './find-batch.ts'
import { applyDeadlines, type IntentKey, type RetrievedIntent } from './intents.ts'

/** Where the two operations keep their intents. */
export interface IntentStore {
  readonly create: (draft: NewIntent) => Promise<CreateResult>
  /** Reads without applying deadlines; `undefined` for unknown and foreign alike. */
  readonly find: (key: IntentKey) => Promise<RetrievedIntent | undefined>
  /** Applies the deadlines that have passed. */
  readonly settle: (intent: RetrievedIntent, now: Date) => Promise<RetrievedIntent | undefined>
}

/** Keeps them in the database, many requests in one statement. One per instance. */
export function createIntentStore(db: Database): IntentStore {
  return {
    create: createBatch(db),
    find: findBatch(db),
    settle: async (intent, now) => await applyDeadlines(db, intent, now),
  }
}
