/** Simulates an outcome of an intent without a buyer, with the same transitions as in a payment. @module */
import { isFinal } from '@pi-checkout/contract'
import { type TestCardName, testCards } from '@pi-checkout/contract/sandbox'
import type { SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { confirm } from '../checkout/confirm.ts'
import { type IntentSnapshot, loadIntent } from '../checkout/intent-snapshot.ts'
import { transitionCause } from '../checkout/provider-result.ts'
import { randomBase62 } from '../ids.ts'
import type { StoredIntent } from '../intents/intent-row.ts'
import { applyCauses, moveIntent, type StoreAndClock } from '../intents/intents.ts'
import { type Cause, deadlineTransition, type Rejection } from '../intents/lifecycle.ts'
import { findEnvironmentOfIntent } from '../merchants/environments.ts'
import { authorize, type ProviderResult } from '../provider/acquirer.ts'

type OutcomeRejection = Rejection | { readonly rejection: 'payment_intent_not_found' }

export async function simulateOutcome(
  store: StoreAndClock,
  id: string,
  outcome: SimulatedOutcome,
): Promise<StoredIntent | OutcomeRejection> {
  const environment = await findEnvironmentOfIntent(store.db, id)
  // The sandbox does not reveal whether a live intent exists.
  if (environment?.mode !== 'test') return { rejection: 'payment_intent_not_found' }
  const snapshot = await loadIntent(store, { environmentId: environment.id, id })
  if (!snapshot) return { rejection: 'payment_intent_not_found' }
  const { intent } = snapshot
  if (isFinal(intent.status)) return { rejection: 'intent_finalized' }
  if (outcome === 'expired') return await expire(store, snapshot)
  if (intent.status === 'requires_payment_method' && outcome !== 'canceled') {
    return await payWith(store, snapshot, cards[outcome])
  }
  if (outcome === 'requires_action') {
    return intent.status === outcome ? intent : { rejection: 'attempt_in_progress' }
  }
  const causes = causesOf(intent, outcome)
  return await store.db.transaction(
    async (tx) => await applyCauses(tx, intent, { causes, at: snapshot.at }),
  )
}

async function expire(
  { db }: StoreAndClock,
  { intent, at }: IntentSnapshot,
): Promise<StoredIntent | OutcomeRejection> {
  const next = deadlineTransition({ ...intent, nextAction: null, expiresAt: at }, at)
  // A processing intent does not expire.
  if (intent.status === 'processing' || !next) return { rejection: 'attempt_in_progress' }
  return (await moveIntent(db, intent, next)) ?? { rejection: 'version_conflict' }
}

const cards = {
  succeeded: 'visa',
  declined: 'declined',
  failed: 'stolen',
  requires_action: 'challenge',
  processing: 'pending',
} as const

async function payWith(
  store: StoreAndClock,
  { intent, environment, at }: IntentSnapshot,
  name: TestCardName,
): Promise<StoredIntent | OutcomeRejection> {
  const expYear = at.getUTCFullYear() + 3
  const authorization = authorize({ number: testCards[name], expMonth: 12, expYear, cvc: '123' })
  if (!authorization) throw new TypeError(`The test card ${name} does not exist`)
  const key = { environmentId: environment.id, id: intent.id }
  const attemptId = `sandbox_${randomBase62(16)}`
  const confirmed = await confirm(store, key, {
    attemptId,
    version: intent.version,
    authorization,
  })
  return 'rejection' in confirmed ? confirmed : confirmed.snapshot.intent
}

function causesOf(
  { status }: StoredIntent,
  outcome: Exclude<SimulatedOutcome, 'requires_action' | 'expired'>,
): readonly Cause[] {
  if (outcome === 'canceled') return [{ type: 'canceled' }]
  const passed: readonly Cause[] =
    status === 'requires_action' ? [{ type: 'challenge_passed' }] : []
  return outcome === 'processing' ? passed : [...passed, transitionCause(results[outcome])]
}

const results: Readonly<Record<'succeeded' | 'declined' | 'failed', ProviderResult>> = {
  succeeded: { result: 'authorised' },
  declined: { result: 'declined', decline: 'generic_decline', hard: false },
  failed: { result: 'declined', decline: 'generic_decline', hard: true },
}
