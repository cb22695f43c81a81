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
  findEnvironment,
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

/** @returns `undefined` when there is no such intent in that environment. */
export async function loadIntent(
  { db, now }: Pick<StoreAndClock, 'now'> & { readonly db: Queryable },
  key: IntentKey,
): Promise<IntentSnapshot | undefined> {
  const environment = await findEnvironment(db, key.environmentId)
  if (!environment) return undefined
  const at = environmentNow(environment, now())
  const intent = await findIntent(db, key, at)
  return intent && { environment, intent, at }
}

/** Finds the environment of an intent: the hosted page knows only the id. */
export async function environmentOf(db: Queryable, id: string): Promise<string | undefined> {
  const [found] = await db.query<{ environmentId: string }>`
    select environment_id as "environmentId" from payment_intents where id = ${id}`
  return found?.environmentId
}
