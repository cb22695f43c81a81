/**
 * A Payment Intent in the merchant API: request and response. These interfaces are the only definition, without
 * zod, so that the published types need no package. `payment-intent-schema.ts` checks values against them.
 *
 * @module
 */
import type { Currency } from './money.ts'
import type { PaymentIntentStatus } from './spec-decisions.ts'

/**
 * The merchant's customer, in requests and responses.
 *
 * @see Payment Intents specification, §2.2
 */
export interface Customer {
  /** 1 to 64 characters. */
  readonly id: string
  /** At most 254 characters with one `@`, stored verbatim. */
  readonly email?: string
  /** 1 to 128 characters. */
  readonly name?: string
}

/** The merchant's notes: at most 50 keys of 1 to 40 characters, values of at most 500, and 16 KB in total. */
export type Metadata = Readonly<Record<string, string>>

/**
 * The body of a create after validation: currency in upper case, absent fields omitted.
 *
 * @see Payment Intents specification, §4.1
 */
export interface CreatePaymentIntent {
  /** Minor units. */
  amount: number
  currency: Currency
  orderId: string
  customer?: Customer
  metadata?: Record<string, string>
}

/** Summary of the buyer's payment method, safe to display. */
export interface PaymentMethod {
  type: string
  card?:
    | {
        brand: string
        last4: string
        expMonth: number
        expYear: number
        funding: string
        [field: string]: unknown
      }
    | undefined
  [field: string]: unknown
}

/** The latest failure. */
export interface PaymentFailure {
  code: string
  declineCode: string | null
  /** Written for the buyer. */
  message: string
  /** Whether the buyer can try again with this intent. */
  retryable: boolean
  /** RFC 3339 in UTC. */
  occurredAt: string
  [field: string]: unknown
}

/** What the hosted checkout waits for. It has no URL, because merchant code does not perform it. */
export interface NextAction {
  type: string
  /** RFC 3339 in UTC. */
  expiresAt: string
  [field: string]: unknown
}

/**
 * A Payment Intent as the service returns it. Times are RFC 3339 in UTC.
 *
 * @see Payment Intents specification, §2.1
 */
export interface PaymentIntent {
  id: string
  /** `phaseOf` returns its meaning. A status that this version does not support is never paid. */
  status: PaymentIntentStatus | (string & {})
  /** Minor units. */
  amount: number
  currency: string
  orderId: string
  customer: {
    id: string
    email?: string | null | undefined
    name?: string | null | undefined
    [field: string]: unknown
  } | null
  metadata: Record<string, string> | null
  paymentMethod: PaymentMethod | null
  lastPaymentFailure: PaymentFailure | null
  nextAction: NextAction | null
  providerPaymentId: string | null
  createdAt: string
  updatedAt: string
  [field: string]: unknown
}

/** The response to a create: the only one that contains the client secret. */
export interface CreatedPaymentIntent extends PaymentIntent {
  clientSecret: string
}
