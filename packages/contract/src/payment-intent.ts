/**
 * A Payment Intent on the wire: what a merchant sends and what comes back. No zod here.
 *
 * Plain types, so that the helper's published ones need no package besides it; `payment-intent-schema.ts`
 * reads and checks them. Names that the specification does not show follow `open-choices.ts`.
 *
 * @module
 */
import type { Currency } from './money.ts'
import type { PaymentIntentStatus } from './open-choices.ts'

/** The merchant's customer, as sent and as answered. See the specification, §2.2. */
export interface Customer {
  /** 1 to 64 characters. */
  readonly id: string
  /** At most 254 characters with one `@`, kept verbatim. */
  readonly email?: string
  /** 1 to 128 characters. */
  readonly name?: string
}

/** The merchant's own notes: at most 50 keys of 1 to 40 characters, values of at most 500, 16 KB in all. */
export type Metadata = Readonly<Record<string, string>>

/**
 * The body of a create, validated and normalised: currency in upper case, absent fields left out.
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

/** The display-safe summary of the method that the buyer chose. */
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

/** The latest failure; `message` is written for the buyer. */
export interface PaymentFailure {
  code: string
  declineCode: string | null
  message: string
  retryable: boolean
  occurredAt: string
  [field: string]: unknown
}

/** What the hosted checkout waits for. It carries no URL: merchant code does not drive it. */
export interface NextAction {
  type: string
  expiresAt: string
  [field: string]: unknown
}

/**
 * A Payment Intent as the service answers it. Times are RFC 3339 in UTC.
 *
 * @see Payment Intents specification, §2.1
 */
export interface PaymentIntent {
  id: string
  /** `phaseOf` tells what it means; one that this version does not know is never paid. */
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

/** The answer to a create: the intent and, this once, the secret of its checkout. */
export interface CreatedPaymentIntent extends PaymentIntent {
  clientSecret: string
}
