/**
 * What the hosted page may know of an intent. Types only: browser code reads this file too.
 *
 * Never the customer, never the metadata, never a secret.
 *
 * @module
 */
import type { PaymentIntentStatus } from '@pi-checkout/contract'
import type { Currency } from '@pi-checkout/contract/money'
import type { CardSummary } from '../provider/acquirer.ts'

/** The display view of `GET /checkout-api/intent`, with exactly these keys. */
export interface DisplayView {
  readonly id: string
  /** Grows by one with every transition; a confirm names the version that the buyer saw. */
  readonly version: number
  readonly environment: 'test' | 'live'
  readonly merchantName: string
  /** Minor units. */
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  readonly status: PaymentIntentStatus
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardSummary } | null
  readonly lastPaymentFailure: DisplayFailure | null
  readonly nextAction: DisplayAction | null
}

/** Why the latest attempt came to nothing, in words for the buyer. */
export interface DisplayFailure {
  readonly code: string
  readonly declineCode: string | null
  readonly message: string
  readonly retryable: boolean
  /** RFC 3339 in UTC. */
  readonly occurredAt: string
}

/** A challenge in a frame, or a redirect for an issuer that refuses framing. */
export interface DisplayAction {
  readonly type: 'challenge' | 'redirect'
  /** RFC 3339 in UTC. */
  readonly expiresAt: string
  /** Where the one-time token of `POST /checkout-api/challenge/open` is to be posted. */
  readonly url: string
}

/** The answer to `POST /checkout-api/session`. */
export interface OpenedSession {
  readonly token: string
  /** RFC 3339 in UTC. */
  readonly expiresAt: string
  readonly intent: DisplayView
}

/** The answer to `POST /checkout-api/challenge/open`. */
export interface ChallengeTicket {
  readonly url: string
  /** Good for one form POST to `url`; never part of an address. */
  readonly token: string
}
