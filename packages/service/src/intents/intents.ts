/** Payment Intents in the store. Reads apply passed deadlines, and changes use compare-and-set. @module */
import type { Database, Queryable } from '../db/database.ts'
import type { Environment } from '../merchants/environments.ts'
import { createBatch } from './create-batch.ts'
import { findBatch } from './find-batch.ts'
import {
  type IntentKey,
  type PackedRow,
  packedStoredIntent,
  type RetrievedIntent,
  readStoredIntent,
  type StoredIntent,
} from './intent-row.ts'
import {
  type Cause,
  deadlineTransition,
  decide,
  type Rejection,
  type Transition,
} from './lifecycle.ts'

/** A store with a clock of real time. */
export interface StoreAndClock {
  readonly db: Database
  readonly now: () => Date
}

/** Store of the merchant API's operations. */
export type IntentStore = ReturnType<typeof createIntentStore>

/** Creates the store of one instance. Concurrent requests share statements. */
export function createIntentStore(db: Database) {
  return {
    create: createBatch(db),
    find: findBatch(db),
    applyDeadlines: async (intent: RetrievedIntent, now: Date) =>
      await applyDeadlines(db, intent, now),
  }
}

/** Reads an intent of this environment at its time `now`, after applying passed deadlines. */
export async function findIntent(
  db: Queryable,
  { environmentId, id }: IntentKey,
  now: Date,
): Promise<StoredIntent | undefined> {
  // Select by id alone. In a new store the planner might use an index that reads the whole environment.
  const [row] = await db.query<PackedRow>`
    select ${packedStoredIntent} as packed from payment_intents where id = ${id}`
  const intent = row && readStoredIntent(row.packed)
  return intent?.environmentId === environmentId ? await applyDeadlines(db, intent, now) : undefined
}

/**
 * Writes a transition and its event, and updates the open confirmation, if the intent still has the version
 * of `current`. So exactly one of two concurrent confirmations succeeds.
 *
 * @returns The changed intent, or `undefined` if `current` is out of date. Then load and decide again.
 */
export async function moveIntent(
  db: Queryable,
  current: Pick<StoredIntent, 'id' | 'version'>,
  to: Transition,
): Promise<StoredIntent | undefined> {
  const failure = asJson(to.lastPaymentFailure)
  const attempt = attemptStates[to.status]
  const [row] = await db.query<PackedRow>`
    with moved as (
      update payment_intents
         set status = ${to.status}, version = version + 1,
             payment_method = ${asJson(to.paymentMethod)}::json,
             last_payment_failure = ${failure}::json,
             next_action = ${to.nextAction?.type ?? null},
             next_action_expires_at = ${to.nextAction?.expiresAt ?? null},
             provider_payment_id = ${to.providerPaymentId},
             settlement = ${asJson(to.settlement)}::json,
             confirms = ${to.confirms},
             finalized_at = ${to.finalizedAt}, updated_at = ${to.updatedAt}
       where id = ${current.id} and version = ${current.version}
      returning *
    ), logged as (
      insert into intent_events (intent_id, version, cause, status, created_at)
      select id, version, ${to.cause}, status, updated_at from moved
    ), closed as (
      update payment_attempts a
         set state = ${attempt}, updated_at = moved.updated_at,
             provider_payment_id = moved.provider_payment_id,
             failure = case when ${attempt} = 'failed' then moved.last_payment_failure end
        from moved
       where a.intent_id = moved.id and a.state in ('challenge', 'processing')
    )
    select ${packedStoredIntent} as packed from moved`
  if (!row) return undefined
  const intent = readStoredIntent(row.packed)
  db.notify({ intentId: intent.id, version: intent.version })
  return intent
}

/**
 * Applies causes one after the other, each with an event. If the first is rejected, nothing was written.
 *
 * @throws {Error} If a later cause is rejected. The transaction must be rolled back.
 */
export async function applyCauses(
  tx: Queryable,
  intent: StoredIntent,
  { causes, at }: { readonly causes: readonly Cause[]; readonly at: Date },
): Promise<StoredIntent | Rejection> {
  let current = intent
  for (const cause of causes) {
    const next = decide(current, cause, at)
    const moved = 'rejection' in next ? undefined : await moveIntent(tx, current, next)
    if (!moved) {
      if (current !== intent) throw new Error(`The cause ${cause.type} was rejected`)
      return 'rejection' in next ? next : { rejection: 'version_conflict' }
    }
    current = moved
  }
  return current
}

/** Applies passed deadlines, each with an event. Returns `undefined` if the intent was deleted. */
export async function applyDeadlines<Seen extends RetrievedIntent>(
  db: Queryable,
  intent: Seen,
  now: Date,
): Promise<Seen | StoredIntent | undefined> {
  const transition = deadlineTransition(intent, now)
  if (!transition) return intent
  const moved = await moveIntent(db, intent, transition)
  // If another request changed the intent first, load it and decide again.
  return moved ? await applyDeadlines(db, moved, now) : await findIntent(db, intent, now)
}

/** Revokes the secret permanently, with its checkout sessions. Returns whether the intent exists. */
export async function revokeSecret(
  db: Queryable,
  { id, modes }: { readonly id: string; readonly modes: readonly Environment['mode'][] },
): Promise<boolean> {
  const revoked = await db.query`
    update payment_intents i set secret_salt = null
      from environments e
     where i.id = ${id} and e.id = i.environment_id and e.mode = any(${modes})
    returning i.id`
  if (revoked.length === 0) return false
  db.notify({ intentId: id, version: Infinity })
  return true
}

/** State of an open confirmation by the new status of its intent. */
const attemptStates = {
  requires_payment_method: 'failed',
  requires_action: 'challenge',
  processing: 'processing',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'abandoned',
  expired: 'abandoned',
} as const satisfies Record<StoredIntent['status'], string>

function asJson(value: object | null): string | null {
  return value && JSON.stringify(value)
}
