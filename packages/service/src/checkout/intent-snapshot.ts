/** Reads an intent with its environment and the environment's time, after applying passed deadlines. @module */
import type { Queryable } from '../db/database.ts'
import { findBatch } from '../intents/find-batch.ts'
import type { IntentKey, RetrievedIntent, StoredIntent } from '../intents/intent-row.ts'
import { applyDeadlines, findIntent, type StoreAndClock } from '../intents/intents.ts'
import {
  type Environment,
  environmentLookUps,
  environmentNow,
  findEnvironmentOfIntent,
} from '../merchants/environments.ts'

export interface IntentSnapshot {
  readonly environment: Environment
  readonly intent: StoredIntent
  readonly at: Date
}

/** A snapshot for a view, without the source of the `clientSecret`. */
export type RetrievedSnapshot = Omit<IntentSnapshot, 'intent'> & {
  readonly intent: RetrievedIntent
}

/**
 * Returns the function that reads snapshots for views. Concurrent reads share a statement. Their queue is
 * separate, so that they do not delay retrieves of merchants.
 */
export function snapshotReader({
  db,
  now,
}: StoreAndClock): (key: IntentKey) => Promise<RetrievedSnapshot | undefined> {
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

/** @param key - Id of the intent, and of its environment if it must be that one. */
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
