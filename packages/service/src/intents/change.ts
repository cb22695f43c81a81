/** Changes an intent: the only way to do so. @module */
import { lockNotAvailable, StoreError } from '../db/errors.ts'
import { type Environment, environmentNow } from '../merchants/environments.ts'
import type { Intent } from './intent.ts'
import { type Cause, decide, isBuyers, type Rejection } from './lifecycle.ts'
import type { IntentStore } from './store.ts'

/** An intent with its environment, and the environment's time at which it was read. */
export interface Snapshot {
  readonly intent: Intent
  readonly environment: Environment
  readonly at: Date
}

export interface Changed extends Snapshot {
  /** The intent as it was before. */
  readonly before: Intent
  readonly rejection?: Rejection
}

/**
 * Reads the intent, decides, and writes the decision if nothing else changed the intent in the meantime. Otherwise it
 * starts again. Passed deadlines are written also if the cause is rejected.
 *
 * @returns `undefined` if the intent does not exist.
 */
export async function change(
  store: IntentStore,
  id: string,
  cause: Cause,
): Promise<Changed | undefined> {
  for (let tries = 0; tries < maxTries; tries++) {
    const before = await store.find(id)
    const environment = before && (await store.environment(before.environmentId))
    if (!environment) return undefined
    const at = environmentNow(environment, store.now())
    const { intent, ...decision } = decide(before, cause, at)
    const result = { ...decision, before, environment, at }
    if (intent === before) return { ...result, intent }
    const needsSecret = isBuyers(cause) && decision.rejection === undefined
    if (await store.write({ from: before, to: intent, needsSecret })) {
      return { ...result, intent: { ...intent, revision: intent.revision + 1 } }
    }
  }
  throw new StoreError(lockNotAvailable, { reason: 'other requests keep changing the intent' })
}

const maxTries = 10

/** Reads an intent after its passed deadlines. */
export async function load(store: IntentStore, id: string): Promise<Snapshot | undefined> {
  return await change(store, id, { type: 'time_passed' })
}
