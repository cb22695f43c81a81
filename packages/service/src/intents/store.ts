/** Reads, creates, and changes Payment Intents. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { newId } from '../ids.ts'
import { unknownKey } from '../merchants/authenticate.ts'
import { type Environment, environmentNow, findEnvironment } from '../merchants/environments.ts'
import type { Database } from '../store/database.ts'
import { hasNoEnvironment, isLockConflict, lockNotAvailable, StoreError } from '../store/errors.ts'
import { idempotencyKeyInUse, idempotencyKeyReused } from './idempotency.ts'
import { assertState, type Intent, withState } from './intent.ts'
import { type Cause, decide, type Rejection } from './lifecycle.ts'
import {
  changeIntent,
  type Draft,
  findByKey,
  findIntent,
  type IntentRow,
  insertIntent,
  intentOf,
  type KeyRow,
} from './statements.ts'

/** A store with a clock of real time. */
export interface StoreAndClock {
  readonly db: Database
  readonly now: () => Date
}

export interface Created {
  /** `replayed`: an earlier request with the same key and body created the intent. */
  readonly type: 'created' | 'replayed'
  /** As it was created. */
  readonly intent: Intent
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

export type IntentStore = ReturnType<typeof createIntentStore>

/** Creates the store of an instance. */
export function createIntentStore({ db, now }: StoreAndClock) {
  /** The last change of each intent that is being changed. */
  const changes = new Map<string, Promise<unknown>>()

  /** Reads an intent without applying deadlines. */
  async function find(id: string): Promise<Intent | undefined> {
    const [row] = await db.query<IntentRow>(findIntent(id))
    return row && intentOf(row)
  }

  /** Returns whether it wrote: `false` if another change was first. */
  async function write(from: Intent, to: Intent): Promise<boolean> {
    assertState(to)
    const written = await db.query(changeIntent(from, to))
    // Tokens and wrong codes change nothing that a page shows.
    if (written.length > 0 && to.version > from.version) db.notify({ intentId: to.id })
    return written.length > 0
  }

  async function tryChange(id: string, cause: Cause): Promise<Changed | undefined> {
    for (let tries = 0; tries < maxTries; tries++) {
      const before = await find(id)
      const environment = before && (await findEnvironment(db, before.environmentId))
      if (!environment) return undefined
      const at = environmentNow(environment, now())
      const decision = decide(before, cause, at)
      const { intent } = decision
      const result = { before, environment, at, ...decision }
      if (intent === before) return result
      if (await write(before, intent)) {
        return { ...result, intent: { ...intent, revision: intent.revision + 1 } }
      }
      // Otherwise two instances could lose in turn for as long as both have changes.
      await sleep(Math.random() * 4 * tries)
    }
    throw new StoreError(lockNotAvailable, { reason: 'other requests keep changing the intent' })
  }

  return {
    find,
    write,
    /** Reads an intent after its passed deadlines. */
    load: async (id: string): Promise<Snapshot | undefined> =>
      await tryChange(id, { type: 'time_passed' }),
    /**
     * Reads the intent, decides, and writes the decision if nothing else changed the intent in the meantime. Otherwise it
     * starts again. Passed deadlines are written also if the cause is rejected. Changes of one intent run one after the
     * other, so that they compete with those of other instances only.
     *
     * @returns `undefined` if the intent does not exist.
     */
    change: async (id: string, cause: Cause): Promise<Changed | undefined> => {
      const last = changes.get(id) ?? Promise.resolve()
      const work = () => tryChange(id, cause)
      const running = last.then(work, work)
      changes.set(id, running)
      try {
        return await running
      } finally {
        if (changes.get(id) === running) changes.delete(id)
      }
    },
    /** @throws {ProblemError} If the key has another body or is in use, or the environment does not exist any more. */
    create: async ({ intent, key }: Draft): Promise<Created> => {
      const inserted = await db.query(insertIntent({ intent, key })).catch((error: unknown) => {
        // It was deleted with its API keys.
        if (hasNoEnvironment(error)) throw unknownKey()
        throw key && isLockConflict(error) ? idempotencyKeyInUse() : error
      })
      if (inserted.length > 0 || !key) return { type: 'created', intent }
      const [holder] = await db.query<KeyRow>(findByKey(key.hash, intent.environmentId))
      // It was deleted after it had taken the key.
      if (!holder) throw idempotencyKeyInUse()
      // The insert was committed but its result was lost, so the repeated insert finds its own row.
      if (holder.id === intent.id) return { type: 'created', intent }
      if (holder.fingerprint !== key.fingerprint) throw idempotencyKeyReused()
      return { type: 'replayed', intent: withState(intentOf(holder), null) }
    },
  }
}

// An instance changes an intent in turn, so only instances compete.
const maxTries = 20

/** Returns an intent that is not stored yet. */
export function draftIntent({
  environmentId,
  body,
  createdAt,
}: Pick<Intent, 'environmentId' | 'createdAt'> & {
  readonly body: CreatePaymentIntent
}): Intent {
  const { amount, currency, orderId, customer = null, metadata = null } = body
  const id = newId('pi_', 24)
  const sent = { amount, currency, orderId, customer, metadata }
  return withState({ id, environmentId, revision: 1, createdAt, ...sent }, null)
}
