/**
 * A Payment Intent in the merchant API: request and response. These interfaces are the only definition, without
 * zod, so that the published types need no package. `payment-intent-schema.ts` checks values against them.
 *
 * @module
 */
import type { Currency } from './money.ts'
import type { PaymentIntentStatus } from './payment-status.ts'

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
  readonly amount: number
  readonly currency: Currency
  readonly orderId: string
  readonly customer?: Customer
  readonly metadata?: Metadata
}

/** Summary of the buyer's payment method, safe to display. */
export interface PaymentMethod {
  readonly type: string
  readonly card?:
    | {
        readonly brand: string
        readonly last4: string
        readonly expMonth: number
        readonly expYear: number
        readonly funding: string
      }
    | undefined
}

/** The latest failure. */
export interface PaymentFailure {
  readonly code: string
  readonly declineCode: string | null
  /** Written for the buyer. */
  readonly message: string
  /** Whether the buyer can try again with this intent. */
  readonly retryable: boolean
  /** RFC 3339 in UTC. */
  readonly occurredAt: string
}

/** What the hosted checkout waits for. It has no URL, because merchant code does not perform it. */
export interface NextAction {
  readonly type: string
  /** RFC 3339 in UTC. */
  readonly expiresAt: string
}

/**
 * A Payment Intent as the service returns it. Times are RFC 3339 in UTC. Fields that this version does not support are
 * kept, without a type.
 *
 * @see Payment Intents specification, §2.1
 */
export interface PaymentIntent {
  readonly id: string
  /** `phaseOf` returns its meaning. A status that this version does not support is never paid. */
  readonly status: PaymentIntentStatus | (string & {})
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly orderId: string
  readonly customer: {
    readonly id: string
    readonly email?: string | null | undefined
    readonly name?: string | null | undefined
  } | null
  readonly metadata: Metadata | null
  readonly paymentMethod: PaymentMethod | null
  readonly lastPaymentFailure: PaymentFailure | null
  readonly nextAction: NextAction | null
  readonly providerPaymentId: string | null
  /** `null` if another service does not return it. */
  readonly createdAt: string | null
  readonly updatedAt: string | null
}

/** The response to a create: the only one that contains the client secret. */
export interface CreatedPaymentIntent extends PaymentIntent {
  readonly clientSecret: string
}
