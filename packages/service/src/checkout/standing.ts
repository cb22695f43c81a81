/**
 * Where a session's intent stands now: its environment, the environment's own time, and the intent
 * with every passed deadline applied.
 *
 * @module
 */
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { retrievals } from '../intents/retrieval.ts'
import {
  findIntent,
  type IntentKey,
  type RetrievedIntent,
  type StoredIntent,
  settleDue,
} from '../intents/store.ts'
import {
  type Environment,
  environmentLookUps,
  findEnvironment,
  timeOf,
} from '../merchants/environments.ts'

export interface Standing {
  readonly environment: Environment
  readonly intent: StoredIntent
  /** The environment's own time. */
  readonly at: Date
}

/** Where an intent stands, as a view needs it. */
export type ReadStanding = Omit<Standing, 'intent'> & { readonly intent: RetrievedIntent }

/** Reads where an intent stands; `undefined` when there is no such intent in that environment. */
export type ReadStandings = (key: IntentKey) => Promise<ReadStanding | undefined>

/**
 * Returns the function that reads for requests which only look: many of them in one statement. They have
 * a queue to themselves, so that no number of waiting buyers holds a merchant's retrieve up.
 */
export function readStandings({ db, now }: Pick<Context, 'db' | 'now'>): ReadStandings {
  const findEnvironments = environmentLookUps(db)
  const findIntents = retrievals(db)
  return async (key) => {
    const [environment, found] = await Promise.all([
      findEnvironments(key.environmentId),
      findIntents(key),
    ])
    if (!environment || !found) return undefined
    const at = timeOf(environment, now())
    const intent = await settleDue(db, found, at)
    return intent && { environment, intent, at }
  }
}

/** @returns `undefined` when there is no such intent in that environment. */
export async function standingOf(
  { db, now }: Pick<Context, 'now'> & { readonly db: Queryable },
  key: IntentKey,
): Promise<Standing | undefined> {
  const environment = await findEnvironment(db, key.environmentId)
  if (!environment) return undefined
  const at = timeOf(environment, now())
  const intent = await findIntent(db, key, at)
  return intent && { environment, intent, at }
}

/** Finds the environment of an intent: the hosted page knows only the id. */
export async function environmentOf(db: Queryable, id: string): Promise<string | undefined> {
  const [found] = await db.query<{ environmentId: string }>`
    select environment_id as "environmentId" from payment_intents where id = ${id}`
  return found?.environmentId
}
