/**
 * When a Payment Intent's status may change, and what it looks like then. Pure: state, cause and
 * time come in, a transition or a rejection comes out.
 *
 * Causes come from the hosted page, the provider and the clock; never from the merchant.
 *
 * @module
 */
import {
  isFinal,
  type PaymentFailure,
  type PaymentIntentStatus,
  type PaymentMethod,
  type ProblemCode,
} from '@pi-checkout/contract'
import { lifetimes, maxFailedConfirmations } from './lifetimes.ts'

/** What a decision needs to know of an intent. */
export interface IntentState {
  readonly status: PaymentIntentStatus
  readonly paymentMethod: PaymentMethod | null
  readonly lastPaymentFailure: PaymentFailure | null
  readonly nextAction: PendingChallenge | null
  readonly providerPaymentId: string | null
  readonly settlement: ScheduledSuccess | null
  /** Confirmations so far, 0 to 10. */
  readonly confirms: number
  /** The whole intent's deadline. */
  readonly expiresAt: Date
  readonly finalizedAt: Date | null
  readonly updatedAt: Date
}

/** What the buyer has to do at the bank, and until when. */
export interface PendingChallenge {
  readonly type: 'challenge' | 'redirect'
  readonly expiresAt: Date
}

/** A payment that the provider has taken and shows later. */
export interface ScheduledSuccess {
  readonly at: Date
  readonly providerPaymentId: string
}

/** A decline in the words that the buyer may read; time and `retryable` are added here. */
export type Failure = Pick<PaymentFailure, 'code' | 'declineCode' | 'message'>

/** Why a status changes. */
export type Cause =
  /** The buyer pays; with `challenge`, the bank asks first. */
  | {
      readonly type: 'confirmed'
      readonly paymentMethod: PaymentMethod
      readonly challenge?: PendingChallenge['type']
      readonly settlement?: ScheduledSuccess
    }
  | { readonly type: 'challenge_passed'; readonly settlement?: ScheduledSuccess }
  /** Denied, three wrong codes, closed. */
  | { readonly type: 'challenge_failed'; readonly failure: Failure }
  | { readonly type: 'authorised'; readonly providerPaymentId: string }
  | { readonly type: 'declined'; readonly failure: Failure; readonly hard: boolean }
  | { readonly type: 'canceled' }

/** The complete intent after a cause, as the store writes it. */
export interface Transition extends IntentState {
  readonly cause: Cause['type'] | 'challenge_timed_out' | 'expired'
}

/** Nothing changes, for this reason. */
export interface Rejection {
  readonly rejection: Extract<
    ProblemCode,
    'intent_finalized' | 'attempt_in_progress' | 'version_conflict'
  >
}

/**
 * Decides what a cause does to an intent.
 *
 * @param intent As read; pass it through `deadlineTransition` first, or an outdated state decides.
 * @param at The environment's own time.
 */
export function decide(intent: IntentState, cause: Cause, at: Date): Transition | Rejection {
  if (isFinal(intent.status)) return { rejection: 'intent_finalized' }
  const { status } = intent
  const now = latest(at, intent.updatedAt)
  switch (cause.type) {
    case 'confirmed':
      if (status !== 'requires_payment_method') return { rejection: 'attempt_in_progress' }
      return cause.challenge
        ? move(intent, cause.type, now, {
            status: 'requires_action',
            paymentMethod: cause.paymentMethod,
            lastPaymentFailure: null,
            nextAction: {
              type: cause.challenge,
              expiresAt: new Date(now.getTime() + lifetimes.challenge),
            },
            confirms: intent.confirms + 1,
          })
        : move(intent, cause.type, now, {
            status: 'processing',
            paymentMethod: cause.paymentMethod,
            lastPaymentFailure: null,
            settlement: cause.settlement ?? null,
            confirms: intent.confirms + 1,
          })
    case 'challenge_passed':
      if (status !== 'requires_action') return { rejection: 'version_conflict' }
      return move(intent, cause.type, now, {
        status: 'processing',
        settlement: cause.settlement ?? null,
      })
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
 * Returns what a passed deadline does to an intent, dated at the deadline: every reader decides the same.
 * Call it again after the move, because there may be a second deadline.
 *
 * @param now - The environment's own time.
 * @returns `undefined` if no deadline has passed.
 */
export function deadlineTransition(intent: IntentState, now: Date): Transition | undefined {
  const { status, settlement, nextAction, expiresAt } = intent
  if (status === 'processing') {
    if (!settlement || settlement.at > now) return undefined
    const settled = latest(settlement.at, intent.updatedAt)
    return move(intent, 'authorised', settled, {
      status: 'succeeded',
      providerPaymentId: settlement.providerPaymentId,
    })
  }
  if (isFinal(status)) return undefined
  const challengeEnd = nextAction && nextAction.expiresAt < expiresAt ? nextAction.expiresAt : null
  if (challengeEnd && challengeEnd <= now) {
    return fail(intent, 'challenge_timed_out', latest(challengeEnd, intent.updatedAt), {
      failure: challengeTimedOut,
      hard: false,
    })
  }
  if (expiresAt > now) return undefined
  return move(intent, 'expired', latest(expiresAt, intent.updatedAt), { status: 'expired' })
}

const challengeTimedOut: Failure = {
  code: 'authentication_failed',
  declineCode: 'authentication_timed_out',
  message: 'The confirmation with your bank took too long. Please try again.',
}

/** Another try, unless the provider or the tenth confirmation says otherwise. */
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
    // Both belong to the previous status.
    nextAction: null,
    settlement: null,
    ...change,
    finalizedAt: isFinal(change.status) ? at : null,
    updatedAt: at,
    cause,
  }
}

// A sandbox clock may be set back; an intent's own times never run backwards.
function latest(one: Date, other: Date): Date {
  return one > other ? one : other
}
