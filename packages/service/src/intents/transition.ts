/** Moves an intent to its next status: pure functions, each of which adds one event. @module */
import type { PaymentFailure } from '@pi-checkout/contract'
import { declines, type ProviderResult } from '../provider/acquirer.ts'
import {
  type Challenge,
  type Confirmation,
  type Intent,
  type IntentEvent,
  maxConfirmations,
  stateOf,
  updatedAt,
  withState,
} from './intent.ts'

/** Adds a confirmation. It is open until the bank and the provider have decided. */
export function begin(
  intent: Intent,
  at: Date,
  {
    challenge = null,
    ...given
  }: Pick<Confirmation, 'confirmationId' | 'paymentMethod' | 'outcome'> & {
    readonly challenge?: Challenge | null
  },
): Intent {
  const state = stateOf(intent)
  const confirmation: Confirmation = { ...given, failure: null, providerPaymentId: null }
  const confirmations = [...state.confirmations, confirmation]
  const status = challenge ? 'requires_action' : 'processing'
  const next = { ...intent, state: { ...state, confirmations } }
  return move(next, at, { cause: 'confirmed', status, challenge })
}

export function settle(
  intent: Intent,
  result: ProviderResult,
  { at, providerPaymentId }: { readonly at: Date; readonly providerPaymentId: string },
): Intent {
  if (result.result === 'authorised') {
    const event = { cause: 'authorised', status: 'succeeded' } as const
    return move(intent, at, { ...event, result: { providerPaymentId } })
  }
  return fail(intent, 'declined', at, { ...declines[result.decline], hard: result.hard })
}

/** A failure with a message for the buyer. After a hard one, no other card is accepted. */
export type Failure = Pick<PaymentFailure, 'code' | 'declineCode' | 'message'> & {
  readonly hard?: boolean
}

export const failures = {
  canceled: {
    code: 'authentication_failed',
    declineCode: 'authentication_canceled',
    message: 'The confirmation was not finished. Try again or use another card.',
  },
  denied: {
    code: 'authentication_failed',
    declineCode: 'authentication_denied',
    message: 'Your bank did not confirm the payment. Try again or use another card.',
  },
  unavailable: {
    code: 'authentication_failed',
    declineCode: 'authentication_unavailable',
    message: 'Your bank could not confirm the payment just now. Try another card.',
  },
  timedOut: {
    code: 'authentication_failed',
    declineCode: 'authentication_timed_out',
    message: 'The confirmation with your bank took too long. Please try again.',
  },
} as const satisfies Record<string, Failure>

/** Allows another confirmation, unless the failure is hard or this was the last one allowed. */
export function fail(
  intent: Intent,
  cause: IntentEvent['cause'],
  at: Date,
  { hard = false, code, declineCode, message }: Failure,
): Intent {
  const retryable = !hard && stateOf(intent).confirmations.length < maxConfirmations
  const occurredAt = latest(at, updatedAt(intent)).toISOString()
  const failure = { code, declineCode, message, retryable, occurredAt }
  const status = retryable ? 'requires_payment_method' : 'failed'
  return move(intent, at, { cause, status, result: { failure } })
}

interface Move extends Pick<IntentEvent, 'cause' | 'status'> {
  /** How the open confirmation ends. */
  readonly result?: Partial<Pick<Confirmation, 'failure' | 'providerPaymentId'>>
  readonly challenge?: Challenge | null
}

/** Adds an event. Times never decrease, although a clock may be set back. */
export function move(
  intent: Intent,
  at: Date,
  { cause, status, result, challenge = null }: Move,
): Intent {
  const state = stateOf(intent)
  const now = latest(at, updatedAt(intent))
  const event = { cause, status, at: now.toISOString() }
  const last = state.confirmations.length - 1
  const confirmations = state.confirmations.map((confirmation, at) =>
    at === last ? { ...confirmation, ...result } : confirmation,
  )
  const events = [...state.events, event]
  return withState(intent, { ...state, confirmations, events, challenge })
}

export function latest(one: Date, other: Date): Date {
  return one > other ? one : other
}

export function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}
