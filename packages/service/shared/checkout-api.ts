/** Requests and responses of the hosted page's private API. @module */
import type { PaymentFailure, PaymentIntentStatus, PaymentMethod } from '@pi-checkout/contract'
import type { Currency } from '@pi-checkout/contract/money'

/** Body of `GET /checkout-api/intent`: an intent without customer, metadata, and secret. */
export interface CheckoutView {
  readonly id: string
  /** Number that increases by one with each transition. A confirmation includes it. */
  readonly version: number
  readonly environment: 'test' | 'live'
  readonly merchantName: string
  /** Amount in minor units. */
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  readonly status: PaymentIntentStatus
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardSummary } | null
  readonly lastPaymentFailure: PaymentFailure | null
  readonly nextAction: CheckoutAction | null
  /** Of the latest confirmation: a page recognizes the one that it sent. */
  readonly confirmationId: string | null
}

/** Summary of a card that may be stored and shown. */
export type CardSummary = NonNullable<PaymentMethod['card']>

/** A challenge in an iframe, or a redirect to an issuer that does not allow iframes. */
interface CheckoutAction {
  readonly type: 'challenge' | 'redirect'
  /** URL to which the page posts the one-time token of `POST /checkout-api/challenge/open`. */
  readonly url: string
}

/** Body of `POST /checkout-api/session`. A full page has a cookie instead: `POST /checkout/:id/session`. */
export interface OpenSessionBody {
  readonly id: string
  readonly clientSecret: string
  /** Origin of the page around the hosted page. */
  readonly origin: string
}

/** Response of `POST /checkout-api/session`. */
export interface SessionGrant {
  readonly token: string
  readonly intent: CheckoutView
}

/** Body of `POST /checkout-api/confirm`. A repeated `confirmationId` is the same confirmation. */
export interface ConfirmBody {
  readonly confirmationId: string
  readonly version: number
  readonly paymentMethod: { readonly type: 'card'; readonly card: CardDetails }
}

export interface CardDetails {
  /** Card number, digits only. */
  readonly number: string
  readonly expMonth: number
  /** Year with four digits. */
  readonly expYear: number
  readonly cvc: string
  readonly holderName?: string | undefined
}

/** Response of `POST /checkout-api/challenge/open`. */
export interface ChallengeTicket {
  readonly url: string
  /** One-time token for a form POST to `url`. It is not part of an address. */
  readonly token: string
}
