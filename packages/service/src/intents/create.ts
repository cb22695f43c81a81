/** Stores new intents, at most one per environment and idempotency key. @module */
import type { CreatePaymentIntent } from '@pi-checkout/contract'
import { newIntentId } from '../ids.ts'
import type { Database } from '../store/database.ts'
import { hasNoEnvironment, isLockConflict, lockNotAvailable, StoreError } from '../store/errors.ts'
import type { IdempotencyHashes } from './idempotency.ts'
import type { Intent } from './intent.ts'
import { findByKey, insertIntent, intentOf, type KeyRow, releaseKey } from './statements.ts'

export interface Draft {
  readonly intent: Intent
  /** Hashes of the idempotency key and the body, if a key was sent. */
  readonly key?: IdempotencyHashes | undefined
}

export type Created =
  | { readonly type: 'created'; readonly intent: Intent }
  /** An earlier request with the same key and body created this intent. */
  | { readonly type: 'replayed'; readonly intent: Intent }
  /** An earlier request used the key with another body. */
  | { readonly type: 'reused' }
  /** The first request with this key had not ended within the lock timeout. */
  | { readonly type: 'in_use' }
  /** The environment was deleted, with its API keys, before the intent was stored. */
  | { readonly type: 'no_environment' }

/** Returns an intent that is not stored yet. */
export function draftIntent({
  environmentId,
  body,
  createdAt,
}: Pick<Intent, 'environmentId' | 'createdAt'> & {
  readonly body: CreatePaymentIntent
}): Intent {
  return {
    id: newIntentId(),
    environmentId,
    revision: 1,
    version: 1,
    status: 'requires_payment_method',
    amount: body.amount,
    currency: body.currency,
    orderId: body.orderId,
    customer: body.customer ?? null,
    metadata: body.metadata ?? null,
    state: null,
    finalizedAt: null,
    revokedAt: null,
    createdAt,
  }
}

/** Number of times that a key can be released by others while it is inserted. */
const maxTries = 10

export async function create(db: Database, draft: Draft): Promise<Created> {
  try {
    for (let tries = 0; tries < maxTries; tries++) {
      const created = await tryCreate(db, draft)
      if (created) return created
    }
  } catch (error) {
    if (hasNoEnvironment(error)) return { type: 'no_environment' }
    if (draft.key && isLockConflict(error)) return { type: 'in_use' }
    throw error
  }
  throw new StoreError(lockNotAvailable, { reason: 'other requests keep changing the key' })
}

/** Returns `undefined` if the key was taken and is free now. */
async function tryCreate(db: Database, { intent, key }: Draft): Promise<Created | undefined> {
  const inserted = await db.query(insertIntent({ intent, key }))
  if (inserted.length > 0 || !key) return { type: 'created', intent }
  const holders = await db.query<KeyRow>(findByKey(key.hash))
  const holder = holders.find(({ environmentId }) => environmentId === intent.environmentId)
  if (!holder) return undefined
  if (holder.keyExpiresAt <= intent.createdAt.getTime()) {
    await db.query(releaseKey(holder.id, intent.createdAt))
    return undefined
  }
  // The insert was committed but its result was lost, so the repeated insert finds its own row.
  if (holder.id === intent.id) return { type: 'created', intent }
  if (holder.fingerprint !== key.fingerprint) return { type: 'reused' }
  return { type: 'replayed', intent: intentOf(holder) }
}
