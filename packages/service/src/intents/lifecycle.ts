/** Decides transitions of Payment Intents: pure functions of state, cause, and time. @module */
import {
  isFinal,
  type PaymentFailure,
  type PaymentIntentStatus,
  type PaymentMethod,
} from '@pi-checkout/contract'
import { lifetimes, maxFailedConfirmations } from './lifetimes.ts'

/** State of an intent that a decision depends on. */
export interface IntentState {
  readonly status: PaymentIntentStatus
  readonly paymentMethod: PaymentMethod | null
  readonly lastPaymentFailure: PaymentFailure | null
  readonly nextAction: PendingChallenge | null
  readonly providerPaymentId: string | null
  readonly settlement: ScheduledSuccess | null
  /** Number of confirmations, 0 to 10. */
  readonly confirms: number
  readonly expiresAt: Date
  readonly finalizedAt: Date | null
  readonly updatedAt: Date
}

/** A challenge at the bank, with its deadline. */
export interface PendingChallenge {
  readonly type: 'challenge' | 'redirect'
  readonly expiresAt: Date
}

/** An authorization that takes effect later. */
export interface ScheduledSuccess {
  readonly at: Date
  readonly providerPaymentId: string
}

/** A decline with a message for the buyer. `decide` adds `occurredAt` and `retryable`. */
export type Failure = Pick<PaymentFailure, 'code' | 'declineCode' | 'message'>

export type Cause =
  /** The buyer confirmed a card. With `challenge`, the bank requires a challenge first. */
  | {
      readonly type: 'confirmed'
      readonly paymentMethod: PaymentMethod
      readonly challenge?: PendingChallenge['type']
      readonly settlement?: ScheduledSuccess
    }
  | { readonly type: 'challenge_passed' }
  /** The buyer denied or closed the challenge, or entered too many wrong codes. */
  | { readonly type: 'challenge_failed'; readonly failure: Failure }
  | { readonly type: 'authorised'; readonly providerPaymentId: string }
  | { readonly type: 'declined'; readonly failure: Failure; readonly hard: boolean }
  | { readonly type: 'canceled' }

export interface Transition extends IntentState {
  readonly cause: Cause['type'] | 'challenge_timed_out' | 'expired'
}

export interface Rejection {
  readonly rejection: 'intent_finalized' | 'attempt_in_progress' | 'version_conflict'
}

/** Apply `deadlineTransition` first, because a deadline may have passed in the environment's time. */
export function decide(intent: IntentState, cause: Cause, at: Date): Transition | Rejection {
  if (isFinal(intent.status)) return { rejection: 'intent_finalized' }
  const { status } = intent
  const now = latest(at, intent.updatedAt)
  switch (cause.type) {
    case 'confirmed':
      if (status !== 'requires_payment_method') return { rejection: 'attempt_in_progress' }
      return move(intent, cause.type, now, {
        status: cause.challenge ? 'requires_action' : 'processing',
        paymentMethod: cause.paymentMethod,
        lastPaymentFailure: null,
        nextAction: cause.challenge
          ? { type: cause.challenge, expiresAt: new Date(now.getTime() + lifetimes.challenge) }
          : null,
        settlement: cause.settlement ?? null,
        confirms: intent.confirms + 1,
      })
    case 'challenge_passed':
      if (status !== 'requires_action') return { rejection: 'version_conflict' }
      return move(intent, cause.type, now, { status: 'processing' })
    case 'challenge_failed':
      if (status !== 'requires_action') return { rejection: 'version_conflict' }
      return fail(intent, cause.type, now, { failure: cause.failure, hard: false })
    case 'authorised':
      if (status !== 'processing') return { rejection: 'version_conflict' }
      return move(intent, cause.type, now, {
        status: 'succeeded',
        providerPaymentId: cause.providerPaymentId,
        lastPaymentFailure: null,
      })
    case 'declined':
      if (status !== 'processing') return { rejection: 'version_conflict' }
      return fail(intent, cause.type, now, cause)
    case 'canceled':
      if (status === 'processing') return { rejection: 'attempt_in_progress' }
      return move(intent, cause.type, now, { status: 'canceled' })
  }
}

/**
 * Returns the transition of a passed deadline, or `undefined` if none has passed. Its time is the deadline, so
 * the result does not depend on when it is computed. Call it again afterward, because a second deadline may
 * have passed.
 */
export function deadlineTransition(intent: IntentState, now: Date): Transition | undefined {
  const deadline = nextDeadline(intent)
  if (!deadline || deadline > now) return undefined
  const { status, settlement, expiresAt } = intent
  const at = latest(deadline, intent.updatedAt)
  if (status === 'processing' && settlement) {
    const { providerPaymentId } = settlement
    return move(intent, 'authorised', at, { status: 'succeeded', providerPaymentId })
  }
  if (deadline < expiresAt) {
    return fail(intent, 'challenge_timed_out', at, { failure: challengeTimedOut, hard: false })
  }
  return move(intent, 'expired', at, { status: 'expired' })
}

/** Returns the next time at which a deadline changes the intent. */
export function nextDeadline({
  status,
  settlement,
  nextAction,
  expiresAt,
}: Pick<IntentState, 'status' | 'settlement' | 'nextAction' | 'expiresAt'>): Date | undefined {
  if (status === 'processing') return settlement?.at
  if (isFinal(status)) return undefined
  return nextAction && nextAction.expiresAt < expiresAt ? nextAction.expiresAt : expiresAt
}

const challengeTimedOut: Failure = {
  code: 'authentication_failed',
  declineCode: 'authentication_timed_out',
  message: 'The confirmation with your bank took too long. Please try again.',
}

/** Allows another confirmation, unless the decline is hard or this was the last one allowed. */
function fail(
  intent: IntentState,
  cause: Transition['cause'],
  at: Date,
  { failure, hard }: { readonly failure: Failure; readonly hard: boolean },
): Transition {
  const retryable = !hard && intent.confirms < maxFailedConfirmations
  const lastPaymentFailure = { ...failure, retryable, occurredAt: at.toISOString() }
  return retryable
    ? move(intent, cause, at, {
        status: 'requires_payment_method',
        paymentMethod: null,
        lastPaymentFailure,
      })
    : move(intent, cause, at, { status: 'failed', lastPaymentFailure })
}

function move(
  intent: IntentState,
  cause: Transition['cause'],
  at: Date,
  change: Partial<IntentState> & Pick<IntentState, 'status'>,
): Transition {
  return {
    paymentMethod: intent.paymentMethod,
    lastPaymentFailure: intent.lastPaymentFailure,
    providerPaymentId: intent.providerPaymentId,
    confirms: intent.confirms,
    expiresAt: intent.expiresAt,
    // These two apply to one status only.
    nextAction: null,
    settlement: null,
    ...change,
    finalizedAt: isFinal(change.status) ? at : null,
    updatedAt: at,
    cause,
  }
}

// The sandbox clock may be set back, but the times of an intent must not decrease.
function latest(one: Date, other: Date): Date {
  return one > other ? one : other
}
