/**
 * A press of Pay: one attempt, decided by the provider, written in one transaction.
 *
 * The same attempt again changes nothing, another one while this one runs is refused, and of two
 * that race the store lets one through.
 *
 * @module
 */
import type { ProblemCode } from '@pi-checkout/contract'
import type { Context } from '../context.ts'
import type { Queryable } from '../db/database.ts'
import { type Cause, decide } from '../intents/lifecycle.ts'
import { type IntentKey, moveIntent, type StoredIntent } from '../intents/store.ts'
import type { Authorisation } from '../provider/acquirer.ts'
import { causeOf, newProviderPaymentId, writeSettlement } from './settlement.ts'
import { type Standing, standingOf } from './standing.ts'

/** One attempt, after the provider has seen the card. */
export interface Attempt {
  readonly attemptId: string
  /** The version that the buyer saw. */
  readonly version: number
  readonly authorisation: Authorisation
}

/** The intent afterwards, or why nothing happened. */
export type Confirmed =
  | { readonly standing: Standing }
  | { readonly refusal: Extract<ProblemCode, 'payment_intent_not_found'> | RefusalCode }

type RefusalCode = Extract<
  ProblemCode,
  'intent_finalized' | 'attempt_in_progress' | 'version_conflict'
>

/** Confirms an intent with a card. */
export async function confirm(
  context: Context,
  key: IntentKey,
  attempt: Attempt,
): Promise<Confirmed> {
  const standing = await standingOf(context, key)
  if (!standing) return { refusal: 'payment_intent_not_found' }
  const { intent, at } = standing
  if (await isKnown(context.db, intent, attempt)) return await replayed(context, key)
  const first = decide(intent, confirmation(attempt, at), at)
  if ('refusal' in first) return first
  if (intent.version !== attempt.version) return { refusal: 'version_conflict' }

  const moved = await context.db.transaction(async (tx) => {
    // The move comes first: its compare-and-set lets one of two racing confirmations through.
    const confirmed = await moveIntent(tx, intent, first)
    if (!confirmed) return undefined
    await insertAttempt(tx, confirmed, attempt)
    return await settleNow(tx, confirmed, { attempt, at })
  })
  if (moved) return { standing: { ...standing, intent: moved } }
  // Somebody else moved the intent since we read it; it may even have been this very attempt.
  return await confirm(context, key, attempt)
}

/** Reads again: the attempt may have ended between the two looks that found it. */
async function replayed(context: Context, key: IntentKey): Promise<Confirmed> {
  const standing = await standingOf(context, key)
  return standing ? { standing } : { refusal: 'payment_intent_not_found' }
}

function confirmation({ authorisation: { summary, outcome } }: Attempt, at: Date): Cause {
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

/** What the provider answers at once is written at once. */
async function settleNow(
  tx: Queryable,
  intent: StoredIntent,
  { attempt, at }: { readonly attempt: Attempt; readonly at: Date },
): Promise<StoredIntent | undefined> {
  const { outcome } = attempt.authorisation
  if (outcome.result === 'challenge' || outcome.result === 'pending') return intent
  const settled = decide(intent, causeOf(outcome), at)
  return 'refusal' in settled ? intent : await moveIntent(tx, intent, settled)
}

async function isKnown(
  db: Queryable,
  { id }: StoredIntent,
  { attemptId }: Attempt,
): Promise<boolean> {
  const found = await db.query`
    select from payment_attempts where intent_id = ${id} and attempt_id = ${attemptId}`
  return found.length > 0
}

async function insertAttempt(
  tx: Queryable,
  intent: StoredIntent,
  { attemptId, authorisation: { outcome } }: Attempt,
): Promise<void> {
  const state = intent.status === 'requires_action' ? 'challenge' : 'processing'
  const later = outcome.result === 'challenge' ? outcome.later : outcome
  const settlement = later.result === 'pending' ? later.result : writeSettlement(later)
  await tx.query`
    insert into payment_attempts
      (intent_id, attempt_id, state, payment_method, outcome, created_at, updated_at)
    values (${intent.id}, ${attemptId}, ${state}, ${JSON.stringify(intent.paymentMethod)}::json,
            ${settlement}, ${intent.updatedAt}, ${intent.updatedAt})`
}
