/**
 * Brings an intent to an outcome without a buyer: what is missing on the way (card, challenge,
 * provider) is played by the sandbox, through the same transitions as a real payment.
 *
 * @module
 */
import { isFinal, type ProblemCode } from '@pi-checkout/contract'
import { z } from 'zod'
import { type SimulatedOutcome, simulatedOutcomes } from '../../shared/sandbox-api.ts'
import { confirm } from '../checkout/confirm.ts'
import { causeOf } from '../checkout/settlement.ts'
import { type Standing, standingOf } from '../checkout/standing.ts'
import type { Context } from '../context.ts'
import { randomBase62 } from '../identifiers.ts'
import { type Cause, decide, due } from '../intents/lifecycle.ts'
import { moveIntent, type StoredIntent } from '../intents/store.ts'
import { findEnvironmentOfIntent } from '../merchants/environments.ts'
import { authorise } from '../provider/acquirer.ts'
import { type Settlement, testCards } from '../provider/test-cards.ts'

export const Settle = z.strictObject({ outcome: z.enum(simulatedOutcomes) })

/** Why an intent stays as it is. */
export interface Refused {
  readonly refusal: Extract<
    ProblemCode,
    'payment_intent_not_found' | 'intent_finalized' | 'attempt_in_progress' | 'version_conflict'
  >
}

/** Brings an intent of a test environment to an outcome. */
export async function settle(
  context: Context,
  id: string,
  outcome: SimulatedOutcome,
): Promise<StoredIntent | Refused> {
  const environment = await findEnvironmentOfIntent(context.db, id)
  // For the sandbox a live intent does not exist.
  if (environment?.mode !== 'test') return { refusal: 'payment_intent_not_found' }
  const standing = await standingOf(context, { environmentId: environment.id, id })
  if (!standing) return { refusal: 'payment_intent_not_found' }
  const { intent } = standing
  if (isFinal(intent.status)) return { refusal: 'intent_finalized' }
  if (outcome === 'expired') return await expire(context, standing)
  if (intent.status === 'requires_payment_method' && outcome !== 'canceled') {
    return await payWith(context, standing, cards[outcome])
  }
  if (outcome === 'requires_action') {
    return intent.status === outcome ? intent : { refusal: 'attempt_in_progress' }
  }
  return await moveAll(context, standing, causesOf(intent, outcome))
}

/** What its deadline would do, now. */
async function expire({ db }: Context, { intent, at }: Standing): Promise<StoredIntent | Refused> {
  const next = due({ ...intent, nextAction: null, expiresAt: at }, at)
  // A payment that is with the provider has no deadline.
  if (intent.status === 'processing' || !next) return { refusal: 'attempt_in_progress' }
  return (await moveIntent(db, intent, next)) ?? { refusal: 'version_conflict' }
}

/** The test card that leads to each outcome at once. */
const cards = {
  succeeded: 'visa',
  declined: 'declined',
  failed: 'stolen',
  requires_action: 'challenge',
  processing: 'pending',
} as const

async function payWith(
  context: Context,
  { intent, environment, at }: Standing,
  name: string,
): Promise<StoredIntent | Refused> {
  const card = testCards.find((testCard) => testCard.name === name)
  const authorisation =
    card &&
    authorise({ number: card.number, expMonth: 12, expYear: at.getUTCFullYear() + 3, cvc: '123' })
  if (!authorisation) throw new TypeError(`There is no test card ${name}`)
  const key = { environmentId: environment.id, id: intent.id }
  const attemptId = `sandbox_${randomBase62(16)}`
  const confirmed = await confirm(context, key, {
    attemptId,
    version: intent.version,
    authorisation,
  })
  return 'refusal' in confirmed ? confirmed : confirmed.standing.intent
}

function causesOf(
  { status }: StoredIntent,
  outcome: Exclude<SimulatedOutcome, 'requires_action' | 'expired'>,
): readonly Cause[] {
  if (outcome === 'canceled') return [{ type: 'canceled' }]
  const passed: readonly Cause[] =
    status === 'requires_action' ? [{ type: 'challenge_passed' }] : []
  return outcome === 'processing' ? passed : [...passed, causeOf(settlements[outcome])]
}

const settlements: Readonly<Record<'succeeded' | 'declined' | 'failed', Settlement>> = {
  succeeded: { result: 'authorised' },
  declined: { result: 'declined', decline: 'generic_decline', hard: false },
  failed: { result: 'declined', decline: 'generic_decline', hard: true },
}

async function moveAll(
  { db }: Context,
  { intent, at }: Standing,
  causes: readonly Cause[],
): Promise<StoredIntent | Refused> {
  return await db.transaction(async (tx) => {
    let seen = intent
    for (const cause of causes) {
      const next = decide(seen, cause, at)
      if ('refusal' in next) return next
      const moved = await moveIntent(tx, seen, next)
      if (!moved) return { refusal: 'version_conflict' } as const
      seen = moved
    }
    return seen
  })
}
