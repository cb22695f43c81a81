/** Reads, creates, and changes Payment Intents. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Environment, environmentNow, findEnvironment } from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'
import { lockNotAvailable, StoreError } from '../store/errors.ts'
import { type Created, create, type Draft } from './create.ts'
import type { Intent } from './intent.ts'
import { type Cause, decide, type Rejection } from './lifecycle.ts'
import { changeIntent, findIntent, type IntentRow, intentOf } from './statements.ts'

/** A store with a clock of real time. */
export interface StoreAndClock {
  readonly db: Database
  readonly now: () => Date
}

export type IntentStore = ReturnType<typeof createIntentStore>

/** Creates the store of an instance. */
export function createIntentStore({ db, now }: StoreAndClock) {
  /** The last change of each intent that is being changed. */
  const changes = new Map<string, Promise<unknown>>()
  return {
    now,
    /** Runs changes of one intent one after the other, so that they compete with those of other instances only. */
    inTurn: async <Result>(id: string, work: () => Promise<Result>): Promise<Result> => {
      const last = changes.get(id) ?? Promise.resolve()
      const running = last.then(work, work)
      changes.set(id, running)
      try {
        return await running
      } finally {
        if (changes.get(id) === running) changes.delete(id)
      }
    },
    create: async (draft: Draft): Promise<Created> => await create(db, draft),
    /** Reads an intent without applying deadlines. */
    find: async (id: string): Promise<Intent | undefined> => {
      const [row] = await db.query<IntentRow>(findIntent(id))
      return row && intentOf(row)
    },
    environment: async (id: string) => await findEnvironment(db, id),
    /** Returns whether it wrote: `false` if another change was first. */
    write: async (from: Intent, to: Intent): Promise<boolean> => {
      const written = await db.query(changeIntent(from, to))
      // Tokens and wrong codes change nothing that a page shows.
      if (written.length > 0 && to.version > from.version) db.notify({ intentId: to.id })
      return written.length > 0
    },
  }
}

/** An intent with its environment, and the environment's time at which it was read. */
export interface Snapshot {
  readonly intent: Intent
  readonly environment: Environment
  readonly at: Date
}

export interface Changed extends Snapshot {
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
  return await store.inTurn(id, async () => await tryChange(store, id, cause))
}

async function tryChange(
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
    if (await store.write(before, intent)) {
      return { ...result, intent: { ...intent, revision: intent.revision + 1 } }
    }
    // Otherwise two instances could lose in turn for as long as both have changes.
    await sleep(Math.random() * 4 * tries)
  }
  throw new StoreError(lockNotAvailable, { reason: 'other requests keep changing the intent' })
}

// An instance changes an intent in turn, so only instances compete.
const maxTries = 10

/** Reads an intent after its passed deadlines. */
export async function load(store: IntentStore, id: string): Promise<Snapshot | undefined> {
  return await tryChange(store, id, { type: 'time_passed' })
}
