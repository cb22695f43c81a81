/**
 * Confirms intents. A confirmation is decided by the provider and written in one transaction.
 *
 * A repeated confirmation changes nothing. A second one is rejected while the first is open, and only one of
 * two concurrent ones succeeds.
 *
 * @module
 */
import type { Queryable } from '../db/database.ts'
import type { IntentKey, StoredIntent } from '../intents/intent-row.ts'
import { moveIntent, type StoreAndClock } from '../intents/intents.ts'
import { type Cause, decide, type Rejection } from '../intents/lifecycle.ts'
import type { Authorization } from '../provider/acquirer.ts'
import { type IntentSnapshot, loadIntent } from './intent-snapshot.ts'
import { newProviderPaymentId, transitionCause, writeProviderResult } from './provider-result.ts'

export interface ConfirmationRequest {
  readonly attemptId: string
  /** Version of the intent that the buyer saw. */
  readonly version: number
  readonly authorization: Authorization
}

export type Confirmed =
  | { readonly snapshot: IntentSnapshot }
  | Rejection
  | { readonly rejection: 'payment_intent_not_found' }

export async function confirm(
  store: StoreAndClock,
  key: IntentKey,
  attempt: ConfirmationRequest,
): Promise<Confirmed> {
  const snapshot = await loadIntent(store, key)
  if (!snapshot) return { rejection: 'payment_intent_not_found' }
  const { intent, at } = snapshot
  const stored = await store.db.query`
    select from payment_attempts
     where intent_id = ${intent.id} and attempt_id = ${attempt.attemptId}`
  if (stored.length > 0) return await replayed(store, key)
  const first = decide(intent, confirmation(attempt, at), at)
  if ('rejection' in first) return first
  if (intent.version !== attempt.version) return { rejection: 'version_conflict' }

  const moved = await store.db.transaction(async (tx) => {
    // Move the intent first. Its compare-and-set accepts one of two concurrent confirmations.
    const confirmed = await moveIntent(tx, intent, first)
    if (!confirmed) return undefined
    await insertAttempt(tx, confirmed, attempt)
    return await applyResult(tx, confirmed, { attempt, at })
  })
  if (moved) return { snapshot: { ...snapshot, intent: moved } }
  // Another request changed the intent since it was read. It may be the same confirmation.
  return await confirm(store, key, attempt)
}

/** Reads the intent again, because the confirmation may have ended since the first read. */
async function replayed(store: StoreAndClock, key: IntentKey): Promise<Confirmed> {
  const snapshot = await loadIntent(store, key)
  return snapshot ? { snapshot } : { rejection: 'payment_intent_not_found' }
}

function confirmation(
  { authorization: { summary, outcome } }: ConfirmationRequest,
  at: Date,
): Cause {
  const paymentMethod = { type: 'card', card: { ...summary } }
  if (outcome.result === 'challenge') {
    const challenge = outcome.framing ? 'challenge' : 'redirect'
    return { type: 'confirmed', paymentMethod, challenge }
  }
  if (outcome.result === 'pending' && outcome.after !== undefined) {
    const settlesAt = new Date(at.getTime() + outcome.after)
    const settlement = { at: settlesAt, providerPaymentId: newProviderPaymentId() }
    return { type: 'confirmed', paymentMethod, settlement }
  }
  return { type: 'confirmed', paymentMethod }
}

/** Writes the transition of the provider's result if the result is immediate. */
async function applyResult(
  tx: Queryable,
  intent: StoredIntent,
  { attempt, at }: { readonly attempt: ConfirmationRequest; readonly at: Date },
): Promise<StoredIntent | undefined> {
  const { outcome } = attempt.authorization
  if (outcome.result === 'challenge' || outcome.result === 'pending') return intent
  const settled = decide(intent, transitionCause(outcome), at)
  return 'rejection' in settled ? intent : await moveIntent(tx, intent, settled)
}

async function insertAttempt(
  tx: Queryable,
  intent: StoredIntent,
  { attemptId, authorization: { outcome } }: ConfirmationRequest,
): Promise<void> {
  const state = intent.status === 'requires_action' ? 'challenge' : 'processing'
  const later = outcome.result === 'challenge' ? outcome.later : outcome
  const result = later.result === 'pending' ? later.result : writeProviderResult(later)
  await tx.query`
    insert into payment_attempts
      (intent_id, attempt_id, state, payment_method, outcome, created_at, updated_at)
    values (${intent.id}, ${attemptId}, ${state}, ${JSON.stringify(intent.paymentMethod)}::json,
            ${result}, ${intent.updatedAt}, ${intent.updatedAt})`
}
