/**
 * The current state of a session's intent: its environment, the environment's time, and the intent with
 * every passed deadline applied.
 *
 * @module
 */
import type { Queryable } from '../db/database.ts'
import { findBatch } from '../intents/find-batch.ts'
import {
  applyDeadlines,
  findIntent,
  type IntentKey,
  type RetrievedIntent,
  type StoreAndClock,
  type StoredIntent,
} from '../intents/intents.ts'
import {
  type Environment,
  environmentLookUps,
  environmentNow,
  findEnvironmentOfIntent,
} from '../merchants/environments.ts'

/** An intent with its environment, as they were at one moment. */
export interface IntentSnapshot {
  readonly environment: Environment
  readonly intent: StoredIntent
  /** The environment's own time. */
  readonly at: Date
}

/** A snapshot as a view needs it. */
export type RetrievedSnapshot = Omit<IntentSnapshot, 'intent'> & {
  readonly intent: RetrievedIntent
}

/** Reads a snapshot; `undefined` if there is no such intent in that environment. */
export type ReadSnapshot = (key: IntentKey) => Promise<RetrievedSnapshot | undefined>

/**
 * Returns the function that reads for requests which change nothing: many of them in one statement. They
 * have a separate queue, so that waiting buyers do not delay a merchant's retrieve.
 */
export function snapshotReader({ db, now }: StoreAndClock): ReadSnapshot {
  const findEnvironments = environmentLookUps(db)
  const findIntents = findBatch(db)
  return async (key) => {
    const [environment, found] = await Promise.all([
      findEnvironments(key.environmentId),
      findIntents(key),
    ])
    if (!environment || !found) return undefined
    const at = environmentNow(environment, now())
    const intent = await applyDeadlines(db, found, at)
    return intent && { environment, intent, at }
  }
}

/**
 * Reads a snapshot.
 *
 * @param key - Without an environment: that of the intent.
 * @returns `undefined` if there is no such intent, or it is in another environment.
 */
export async function loadIntent(
  { db, now }: Pick<StoreAndClock, 'now'> & { readonly db: Queryable },
  { id, environmentId }: Partial<IntentKey> & Pick<IntentKey, 'id'>,
): Promise<IntentSnapshot | undefined> {
  const environment = await findEnvironmentOfIntent(db, id)
  if (!environment || (environmentId ?? environment.id) !== environment.id) return undefined
  const at = environmentNow(environment, now())
  const intent = await findIntent(db, { environmentId: environment.id, id }, at)
  return intent && { environment, intent, at }
}
