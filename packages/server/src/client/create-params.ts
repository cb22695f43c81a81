/** The arguments of a create. @module */
import { CreatePaymentIntentSchema, fieldErrors } from '@pi-checkout/contract'
import type { Currency } from '@pi-checkout/contract/money'
import type { CreatePaymentIntent } from '@pi-checkout/contract/payment-intent'
import { InvalidParamsError } from './errors.ts'

/** What the intent is for. The idempotency key is derived from all fields. */
export interface CreateParams {
  /** Minor units: 150000 is 1500.00 AMD. */
  readonly amount: number
  /** A supported currency, in upper or lower case. */
  readonly currency: Currency | Lowercase<Currency>
  /** Your order identifier: 1 to 32 characters. A UUID without hyphens has 32. */
  readonly orderId: string
  /**
   * Your customer.
   * @default None
   */
  readonly customer?:
    | {
        /** 1 to 64 characters. */
        readonly id: string
        /** At most 254 characters with one `@`. */
        readonly email?: string | null | undefined
        /** 1 to 128 characters. */
        readonly name?: string | null | undefined
      }
    | null
    | undefined
  /**
   * Your notes: at most 50 strings. A value that changes between calls, such as a timestamp, changes the key and
   * creates another intent.
   * @default None
   */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
}

/**
 * Validates and normalizes the arguments of a create.
 *
 * @throws {InvalidParamsError} If a field is invalid. The message names field, rule, and fix.
 */
export function readCreateParams(params: CreateParams): CreatePaymentIntent {
  const read = CreatePaymentIntentSchema.safeParse(params)
  if (read.success) return read.data
  const { errors } = fieldErrors(read.error, params)
  throw new InvalidParamsError(errors)
}
