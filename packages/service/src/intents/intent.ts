/** A Payment Intent as stored: what the merchant sent, and one document of what has happened to it. @module */
import {
  type Currency,
  type Customer,
  isFinal,
  type Metadata,
  type PaymentFailure,
  type PaymentIntentStatus,
  type PaymentMethod,
} from '@pi-checkout/contract'
import type { ProviderResult } from '../provider/acquirer.ts'

/** What is stored beside the document. All times are those of the intent's environment. */
export interface Stored {
  readonly id: string
  readonly environmentId: string
  /** Number that increases with each write of `state`. A write compares it. */
  readonly revision: number
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  /** Customer and metadata are for the merchant. No checkout page shows them. */
  readonly customer: Customer | null
  readonly metadata: Metadata | null
  readonly createdAt: Date
}

/** With the document, and what follows from its events. */
export interface Intent extends Stored {
  /** `null` until something happens. */
  readonly state: State | null
  /** Number that increases with each event. Buyers' pages see it. */
  readonly version: number
  readonly status: PaymentIntentStatus
  readonly finalizedAt: Date | null
  /** When its `clientSecret` was revoked. */
  readonly revokedAt: Date | null
}

export function withState(intent: Stored, state: State | null): Intent {
  const events = state?.events ?? []
  const final = events.find(({ status }) => isFinal(status))
  const revoked = events.find(({ cause }) => cause === 'revoked')
  // On Node.js 20, each property after a spread takes two microseconds.
  return Object.assign({}, intent, {
    state,
    version: events.length + 1,
    status: events.at(-1)?.status ?? 'requires_payment_method',
    finalizedAt: final ? new Date(final.at) : null,
    revokedAt: revoked ? new Date(revoked.at) : null,
  } as const)
}

/** The document that `decide` writes. A release keeps the fields that it does not know. */
export interface State {
  readonly v: typeof stateVersion
  /** In the order in which the buyer pressed Pay. Only the last one can be open. */
  readonly confirmations: readonly Confirmation[]
  readonly events: readonly IntentEvent[]
  /** The bank's question about the open confirmation. */
  readonly challenge: Challenge | null
}

/** Number of failed confirmations after which an intent fails. */
export const maxConfirmations = 10

/** A confirmation has three events at most, and a cancel or an expiry follows. */
const maxEvents = 3 * maxConfirmations + 1

/** Version of the document. A release reads this one and the one before it. */
export const stateVersion = 1

/** A confirmation is open while the intent waits for bank or provider. One with neither failure nor id was abandoned. */
export interface Confirmation {
  /** Chosen by the hosted page. The same one again is the same confirmation. */
  readonly confirmationId: string
  readonly paymentMethod: PaymentMethod
  /** What the provider has decided from the card, which is then forgotten. */
  readonly outcome: ProviderResult | Pending
  readonly failure: PaymentFailure | null
  /** Set if it has succeeded. */
  readonly providerPaymentId: string | null
}

/** A result that takes effect later, or not until the sandbox simulates one. */
export interface Pending {
  readonly result: 'pending'
  readonly settlement: { readonly at: string; readonly providerPaymentId: string } | null
}

export interface IntentEvent {
  readonly cause:
    | 'confirmed'
    | 'challenge_passed'
    | 'challenge_failed'
    | 'challenge_timed_out'
    | 'authorised'
    | 'declined'
    | 'canceled'
    | 'expired'
    | 'revoked'
  readonly status: PaymentIntentStatus
  readonly at: string
}

export interface Challenge {
  /** `challenge` is in an iframe of the hosted page, `redirect` is on a separate page. */
  readonly type: 'challenge' | 'redirect'
  readonly expiresAt: string
  readonly tries: number
  /** Hash of the token that the next step needs. `null` until the hosted page opens the challenge. */
  readonly token: string | null
  /** Page to which a redirect returns. */
  readonly returnPage: string | null
}

export function stateOf({ state }: Pick<Intent, 'state'>): State {
  return state ?? { v: stateVersion, confirmations: [], events: [], challenge: null }
}

export function lastConfirmation({ state }: Pick<Intent, 'state'>): Confirmation | undefined {
  return state?.confirmations.at(-1)
}

/** Returns the card of the last confirmation, unless the buyer has to choose another one. */
export function selectedMethod(intent: Intent): PaymentMethod | null {
  const confirmation = lastConfirmation(intent)
  return confirmation && !confirmation.failure?.retryable ? confirmation.paymentMethod : null
}

/** Returns the time of the last event, or of the creation. */
export function updatedAt({ state, createdAt }: Pick<Intent, 'state' | 'createdAt'>): Date {
  const last = state?.events.at(-1)
  return last ? new Date(last.at) : createdAt
}

/** Returns when a confirmation that the provider has accepted takes effect. */
export function settlementOf(intent: Pick<Intent, 'status' | 'state'>): Pending['settlement'] {
  const outcome = lastConfirmation(intent)?.outcome
  return intent.status === 'processing' && outcome?.result === 'pending' ? outcome.settlement : null
}

/** Runs before each write. @throws {Error} If the intent is in a state that must not exist. */
export function assertState(intent: Intent): void {
  const { confirmations, events, challenge } = stateOf(intent)
  const { status } = intent
  const waits = status === 'requires_action' || status === 'processing'
  const last = confirmations.at(-1)
  const times = [intent.createdAt, ...events.map(({ at }) => new Date(at))]
  const rules = {
    status: status === (events.at(-1)?.status ?? 'requires_payment_method'),
    number: confirmations.length <= maxConfirmations && events.length <= maxEvents,
    ids:
      new Set(confirmations.map(({ confirmationId }) => confirmationId)).size ===
      confirmations.length,
    open: !waits || (last?.failure === null && last.providerPaymentId === null),
    earlier: confirmations.slice(0, -1).every(({ failure }) => failure !== null),
    successes:
      confirmations.filter(({ providerPaymentId }) => providerPaymentId !== null).length ===
      (status === 'succeeded' ? 1 : 0),
    challenge: (challenge !== null) === (status === 'requires_action'),
    times: times.every((time, at) => time >= (times[at - 1] ?? time)),
    size: Buffer.byteLength(JSON.stringify(intent.state)) <= maxStateBytes,
  }
  const broken = Object.entries(rules).filter(([, holds]) => !holds)
  if (broken.length === 0) return
  throw new Error(`An intent must not be stored: ${broken.map(([rule]) => rule).join(', ')}`)
}

/** Bound of the document. An address of 8,192 characters has up to 24,576 bytes in it, and the rest at most 30,000. */
const maxStateBytes = 64 * 1024
