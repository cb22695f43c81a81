/**
 * Requests and responses of the hosted page's private API, and of the test bank's page.
 *
 * @module
 */
import type { PaymentIntentStatus } from '@pi-checkout/contract'
import type { Currency } from '@pi-checkout/contract/money'

/**
 * What the hosted page may know of an intent: exactly these keys, and never the customer, the metadata or a
 * secret. Body of `GET /checkout-api/intent`.
 */
export interface CheckoutView {
  readonly id: string
  /** Grows by one with every transition; a confirmation names the version that the buyer saw. */
  readonly version: number
  readonly environment: 'test' | 'live'
  readonly merchantName: string
  /** Minor units. */
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  readonly status: PaymentIntentStatus
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardSummary } | null
  readonly lastPaymentFailure: CheckoutFailure | null
  readonly nextAction: CheckoutAction | null
}

/** What may be stored and shown of a card. */
export interface CardSummary {
  readonly brand: string
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  readonly funding: string
}

/** Why the latest confirmation failed, in English for the buyer. */
export interface CheckoutFailure {
  readonly code: string
  readonly declineCode: string | null
  readonly message: string
  readonly retryable: boolean
  /** RFC 3339 in UTC. */
  readonly occurredAt: string
}

/** A challenge in an iframe, or a redirect for an issuer that forbids framing. */
export interface CheckoutAction {
  readonly type: 'challenge' | 'redirect'
  /** RFC 3339 in UTC. */
  readonly expiresAt: string
  /** Where the one-time token of `POST /checkout-api/challenge/open` is to be posted. */
  readonly url: string
}

/** Body of `POST /checkout-api/session`. */
export interface OpenSessionBody {
  readonly id: string
  readonly clientSecret: string
  /** Origin of the page around the hosted page. */
  readonly origin: string
}

/** Response of `POST /checkout-api/session`. */
export interface SessionGrant {
  readonly token: string
  /** RFC 3339 in UTC. */
  readonly expiresAt: string
  readonly intent: CheckoutView
}

/** Body of `POST /checkout-api/confirm`: one press of Pay. The same `attemptId` is the same confirmation. */
export interface ConfirmBody {
  readonly attemptId: string
  readonly version: number
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardDetails }
}

/** A card as the hosted page sends it. */
export interface CardDetails {
  /** Digits only. */
  readonly number: string
  readonly expMonth: number
  /** Four digits. */
  readonly expYear: number
  readonly cvc: string
  readonly holderName?: string | undefined
}

/** Response of `POST /checkout-api/challenge/open`. */
export interface ChallengeTicket {
  readonly url: string
  /** Valid for one form POST to `url`; never part of an address. */
  readonly token: string
}

/** What the script of the test bank's framed page receives after a code: another try, or the end. */
export type ChallengeResult =
  | { readonly token: string; readonly error: string }
  | { readonly done: string }
  /** The token is no longer valid: another window may have opened the challenge. */
  | { readonly over: string }
