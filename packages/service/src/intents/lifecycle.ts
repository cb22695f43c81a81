/** Decides what happens to a Payment Intent: pure functions of intent, cause, and time. @module */
import { isFinal, type PaymentMethod } from '@pi-checkout/contract'
import type { SimulatedOutcome } from '../../shared/sandbox-api.ts'
import { type Authorization, authorizeTestCard, type ProviderResult } from '../provider/acquirer.ts'
import { answer, type ChallengeStep, enter, withChallenge } from './challenge.ts'
import { dueAt, expiresAt, lifetimes } from './deadlines.ts'
import { type Challenge, type Intent, settlementOf, stateOf, updatedAt } from './intent.ts'
import { begin, fail, failures, later, latest, move, settle } from './transition.ts'

/** Ids for a confirmation. `providerPaymentId` is used if the provider accepts it. */
interface ConfirmationIds {
  readonly confirmationId: string
  readonly providerPaymentId: string
}

interface ConfirmationRequest extends ConfirmationIds {
  /** Version of the intent that the buyer saw. */
  readonly version: number
  readonly authorization: Authorization
}

export type Cause =
  /** Only applies passed deadlines, as all others do first. */
  | { readonly type: 'time_passed' }
  | ({ readonly type: 'confirmed' } & ConfirmationRequest)
  | ({ readonly type: 'challenge_opened' } & Pick<Challenge, 'returnPage'> & {
        readonly token: string
      })
  | ({ readonly type: 'challenge_entered' } & ChallengeStep)
  /** `code` is `undefined` if the buyer canceled at the bank. */
  | ({ readonly type: 'challenge_answered'; readonly code: string | undefined } & ChallengeStep &
      Pick<ConfirmationIds, 'providerPaymentId'>)
  | { readonly type: 'challenge_canceled' }
  | { readonly type: 'canceled' }
  /** The merchant revokes the secret, permanently. */
  | { readonly type: 'revoked' }
  /** The sandbox acts in place of buyer and bank. */
  | ({ readonly type: 'simulated'; readonly outcome: SimulatedOutcome } & ConfirmationIds)

export type Rejection =
  | 'intent_finalized'
  | 'confirmation_in_progress'
  | 'version_conflict'
  /** The secret is revoked, so the intent does not exist for this buyer. */
  | 'payment_intent_not_found'

/** The intent after the cause, or after passed deadlines only if the cause is rejected. */
export interface Decision {
  readonly intent: Intent
  readonly rejection?: Rejection
}

/** Returns the same intent if nothing changes, for example because the cause is repeated. */
export function decide(intent: Intent, cause: Cause, at: Date): Decision {
  const current = afterDeadlines(intent, at)
  const isRevoked = isBuyers(cause) && current.revokedAt !== null
  const result = isRevoked ? 'payment_intent_not_found' : act(current, cause, at)
  if (typeof result === 'string') return { intent: current, rejection: result }
  // A decline can return an intent whose time is over to the buyer.
  return { intent: afterDeadlines(result, at) }
}

/** Whether a buyer acts, who needs a `clientSecret` that is not revoked. */
function isBuyers({ type }: Cause): boolean {
  return type !== 'time_passed' && type !== 'simulated' && type !== 'revoked'
}

/**
 * Applies passed deadlines. Each has its own event with the time of the deadline. Then cancels an intent whose secret is
 * revoked, so that its order can be paid with another one.
 */
export function afterDeadlines(intent: Intent, at: Date): Intent {
  const due = dueAt(intent)
  if (due && due <= at) return afterDeadlines(passDeadline(intent, due), at)
  if (intent.revokedAt === null || isFinal(intent.status) || intent.status === 'processing') {
    return intent
  }
  return move(intent, at, { cause: 'revoked', status: 'canceled' })
}

function passDeadline(intent: Intent, due: Date): Intent {
  const settlement = settlementOf(intent)
  if (settlement) {
    const { providerPaymentId } = settlement
    return settle(intent, { result: 'authorised' }, { at: due, providerPaymentId })
  }
  if (due < expiresAt(intent)) return fail(intent, 'challenge_timed_out', due, failures.timedOut)
  return move(intent, due, { cause: 'expired', status: 'expired' })
}

function act(intent: Intent, cause: Cause, at: Date): Intent | Rejection {
  switch (cause.type) {
    case 'time_passed':
      return intent
    case 'confirmed':
      return confirm(intent, cause, at)
    case 'challenge_opened': {
      const { token, returnPage } = cause
      return withChallenge(intent, { token, returnPage }) ?? 'version_conflict'
    }
    case 'challenge_entered':
      return enter(intent, cause) ?? 'version_conflict'
    case 'challenge_answered':
      return answer(intent, cause, at) ?? 'version_conflict'
    case 'challenge_canceled':
      // A page repeats a cancel whose response was lost.
      if (intent.status === 'requires_payment_method') return intent
      if (isFinal(intent.status)) return 'intent_finalized'
      if (intent.status === 'processing') return 'version_conflict'
      return fail(intent, 'challenge_failed', at, failures.canceled)
    case 'canceled':
      return intent.status === 'canceled' ? intent : cancel(intent, at)
    case 'revoked':
      return intent.revokedAt === null ? revoke(intent, at) : intent
    case 'simulated':
      return simulate(intent, cause, at)
  }
}

/** Ends the secret, and cancels an intent that can no longer be paid. */
function revoke(intent: Intent, at: Date): Intent {
  const stays = isFinal(intent.status) || intent.status === 'processing'
  return move(intent, at, { cause: 'revoked', status: stays ? intent.status : 'canceled' })
}

function confirm(
  intent: Intent,
  { confirmationId, version, authorization, providerPaymentId }: ConfirmationRequest,
  at: Date,
): Intent | Rejection {
  const { confirmations } = stateOf(intent)
  if (confirmations.some((each) => each.confirmationId === confirmationId)) return intent
  if (isFinal(intent.status)) return 'intent_finalized'
  if (intent.status !== 'requires_payment_method') return 'confirmation_in_progress'
  if (intent.version !== version) return 'version_conflict'
  const { summary, outcome } = authorization
  const paymentMethod: PaymentMethod = { type: 'card', card: { ...summary } }
  const given = { confirmationId, paymentMethod }
  switch (outcome.result) {
    case 'challenge': {
      const end = later(latest(at, updatedAt(intent)), lifetimes.challenge)
      const challenge: Challenge = {
        type: outcome.framing ? 'challenge' : 'redirect',
        expiresAt: end.toISOString(),
        tries: 0,
        token: null,
        returnPage: null,
      }
      return begin(intent, at, { ...given, outcome: outcome.later, challenge })
    }
    case 'pending': {
      const { after } = outcome
      const settlement =
        after === undefined ? null : { at: later(at, after).toISOString(), providerPaymentId }
      return begin(intent, at, { ...given, outcome: { result: 'pending', settlement } })
    }
    default:
      return settle(begin(intent, at, { ...given, outcome }), outcome, { at, providerPaymentId })
  }
}

function cancel(intent: Intent, at: Date): Intent | Rejection {
  if (isFinal(intent.status)) return 'intent_finalized'
  if (intent.status === 'processing') return 'confirmation_in_progress'
  return move(intent, at, { cause: 'canceled', status: 'canceled' })
}

function simulate(
  intent: Intent,
  cause: Extract<Cause, { readonly type: 'simulated' }>,
  at: Date,
): Intent | Rejection {
  const { status } = intent
  if (isFinal(status)) return 'intent_finalized'
  if (cause.outcome === 'canceled') return cancel(intent, at)
  if (cause.outcome === 'expired') {
    if (status === 'processing') return 'confirmation_in_progress'
    return move(intent, at, { cause: 'expired', status: 'expired' })
  }
  if (status === 'requires_payment_method') {
    const expiry = { expMonth: 12, expYear: at.getUTCFullYear() + 3 }
    const authorization = authorizeTestCard(simulatedCards[cause.outcome], expiry)
    return confirm(intent, { ...cause, version: intent.version, authorization }, at)
  }
  if (cause.outcome === 'requires_action') {
    return status === 'requires_action' ? intent : 'confirmation_in_progress'
  }
  const processing =
    status === 'processing'
      ? intent
      : move(intent, at, { cause: 'challenge_passed', status: 'processing' })
  if (cause.outcome === 'processing') return processing
  const { providerPaymentId } = cause
  return settle(processing, simulatedResults[cause.outcome], { at, providerPaymentId })
}

const simulatedCards = {
  succeeded: 'visa',
  declined: 'declined',
  failed: 'stolen',
  requires_action: 'challenge',
  processing: 'pending',
} as const

const simulatedResults: Readonly<Record<'succeeded' | 'declined' | 'failed', ProviderResult>> = {
  succeeded: { result: 'authorised' },
  declined: { result: 'declined', decline: 'generic_decline', hard: false },
  failed: { result: 'declined', decline: 'generic_decline', hard: true },
}
