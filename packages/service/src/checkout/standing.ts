/**
 * Where a session's intent stands now: its environment, the environment's own time, and the intent
 * with every passed deadline applied.
 *
 * @module
 */
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { findIntent, type IntentKey, type StoredIntent } from '../intents/store.ts'
import { type Environment, findEnvironment, timeOf } from '../merchants/environments.ts'

export interface Standing {
  readonly environment: Environment
  readonly intent: StoredIntent
  /** The environment's own time. */
  readonly at: Date
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
