/**
 * A Payment Intent on the wire: what a merchant sends and what comes back.
 *
 * Requests are strict, so that `order_id` is caught; answers tolerate fields and statuses that this
 * version does not know. Names that the specification does not show follow `open-choices.ts`.
 *
 * @module
 */
import { z } from 'zod'
import { currencies } from './money.ts'
import { limits, type PaymentIntentStatus } from './open-choices.ts'
import { codePoints, orderIdFault } from './order-id.ts'
import type { FieldErrorCode } from './problem.ts'

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

const Amount = z
  .number({ error: 'must be a JSON number of minor units, such as 150000 for 1500.00 AMD' })
  .check(
    rule<number>((amount) => {
      if (!Number.isInteger(amount)) {
        return ['not_an_integer', 'must be a whole number of minor units: 19.99 USD is 1999']
      }
      if (amount < 1) return ['too_small', 'must be at least 1 minor unit']
      if (amount > limits.amount) return ['too_big', `must be at most ${limits.amount}`]
      return undefined
    }),
  )

const CurrencyCode = z
  .string({ error: `must be one of ${currencies.join(', ')}` })
  // ASCII only: in some locales and code points, upper case is another letter.
  .transform((code) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase()))
  .pipe(
    z.enum(currencies, {
      error: `must be one of ${currencies.join(', ')}: the service takes no other currency`,
    }),
  )

const OrderId = z.string({ error: 'must be a string of 1 to 32 characters' }).check(
  rule<string>((orderId) => {
    const fault = orderIdFault(orderId)
    return fault && [fault.code, fault.detail]
  }),
)

const Email = text({ min: 3, max: limits.customerEmail }).check(
  rule<string>((email) =>
    /^[^@]+@[^@]+$/.test(email) ? undefined : ['invalid_format', 'must hold one @ inside'],
  ),
)

const CustomerInput = z.strictObject(
  {
    id: text({ min: 1, max: limits.customerId }),
    email: Email.nullish(),
    name: text({ min: 1, max: limits.customerName }).nullish(),
  },
  { error: objectError('must be an object with an id') },
)

const MetadataInput = z
  .unknown()
  // Before z.record, which drops `__proto__` without a word.
  .check(
    rule<unknown>((value) =>
      typeof value === 'object' && value !== null && Object.keys(value).some(isForbiddenKey)
        ? ['forbidden_key', 'must not use __proto__, constructor or prototype as a key']
        : undefined,
    ),
  )
  .pipe(
    z
      .record(
        text({ min: 1, max: limits.metadataKey }),
        text({ min: 0, max: limits.metadataValue }),
        { error: 'must be an object of string values' },
      )
      .check(
        rule<Record<string, string>>((metadata) => {
          const entries = Object.entries(metadata)
          if (entries.length > limits.metadataKeys) {
            return ['too_many', `must hold at most ${limits.metadataKeys} keys`]
          }
          const bytes = new TextEncoder().encode(entries.flat().join('')).length
          return bytes > limits.metadataBytes
            ? ['too_long', `must hold at most ${limits.metadataBytes} bytes in all`]
            : undefined
        }),
      ),
  )

/**
 * The body of a create, validated and normalised: currency in upper case, absent fields left out.
 *
 * An explicit `null` for `customer` or `metadata` equals leaving it out. Two bodies that ask for the
 * same thing come out equal, which is what idempotency compares.
 *
 * @see Payment Intents specification, §4.1
 */
export const CreatePaymentIntent = z
  .strictObject(
    {
      amount: Amount,
      currency: CurrencyCode,
      orderId: OrderId,
      customer: CustomerInput.nullish(),
      metadata: MetadataInput.nullish(),
    },
    { error: objectError('must be a JSON object with amount, currency and orderId') },
  )
  .transform(({ amount, currency, orderId, customer, metadata }) => ({
    amount,
    currency,
    orderId,
    ...(customer ? { customer: withoutNulls(customer) } : {}),
    ...(metadata ? { metadata } : {}),
  }))

/** What a merchant may pass: currency in any case, `customer` and `metadata` optional. */
export type CreatePaymentIntent = z.infer<typeof CreatePaymentIntent>

/** The display-safe summary of the method that the buyer chose. */
export const PaymentMethod = z.looseObject({
  type: z.string(),
  card: z
    .looseObject({
      brand: z.string(),
      last4: z.string(),
      expMonth: z.number(),
      expYear: z.number(),
      funding: z.string(),
    })
    .optional(),
})
export type PaymentMethod = z.infer<typeof PaymentMethod>

/** The latest failure; `message` is written for the buyer. */
export const PaymentFailure = z.looseObject({
  code: z.string(),
  declineCode: z.string().nullable(),
  message: z.string(),
  retryable: z.boolean(),
  occurredAt: z.string(),
})
export type PaymentFailure = z.infer<typeof PaymentFailure>

/** What the hosted checkout waits for. It carries no URL: merchant code does not drive it. */
export const NextAction = z.looseObject({
  type: z.string(),
  expiresAt: z.string(),
})
export type NextAction = z.infer<typeof NextAction>

/**
 * A Payment Intent as the service answers it. `amount` is minor units; times are RFC 3339 in UTC.
 *
 * Fields that the specification names are required. Those it does not name are read leniently: a
 * service that calls them otherwise yields `unknown` or `null`, never a payment.
 *
 * @see Payment Intents specification, §2.1
 */
export const PaymentIntent = z.looseObject({
  id: z.string().min(1),
  status: z.string().catch('unknown') as z.ZodType<PaymentIntentStatus | (string & {})>,
  amount: z.int(),
  currency: z.string(),
  orderId: z.string(),
  customer: z
    .looseObject({ id: z.string(), email: z.string().nullish(), name: z.string().nullish() })
    .nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  paymentMethod: PaymentMethod.nullable().catch(null),
  lastPaymentFailure: PaymentFailure.nullable().catch(null),
  nextAction: NextAction.nullable().catch(null),
  providerPaymentId: z.string().nullable().catch(null),
  createdAt: z.string().catch(''),
  updatedAt: z.string().catch(''),
})
export type PaymentIntent = z.infer<typeof PaymentIntent>

/** The answer to a create: the intent and, this once, the secret of its checkout. */
export const CreatedPaymentIntent = PaymentIntent.extend({ clientSecret: z.string().min(1) })
export type CreatedPaymentIntent = z.infer<typeof CreatedPaymentIntent>

/** A check that puts one of our own codes beside its words, where `fieldErrors` finds it. */
function rule<T>(
  fault: (value: T) => readonly [FieldErrorCode, string] | undefined,
): (context: z.core.ParsePayload<T>) => void {
  return ({ value, issues }) => {
    const found = fault(value)
    if (found) {
      issues.push({ code: 'custom', input: value, message: found[1], params: { code: found[0] } })
    }
  }
}

function text({ min, max }: { readonly min: number; readonly max: number }): z.ZodString {
  return z.string({ error: 'must be a string' }).check(
    rule<string>((value) => {
      if (!value.isWellFormed() || value.includes('\u0000')) {
        return ['forbidden_character', 'must be well-formed text without U+0000']
      }
      const length = codePoints(value)
      if (length < min) return ['too_short', `must hold at least ${min} characters`]
      return length > max ? ['too_long', `must hold at most ${max} characters`] : undefined
    }),
  )
}

function objectError(otherwise: string): z.core.$ZodErrorMap {
  return (issue) =>
    issue.code === 'unrecognized_keys' ? 'is not a parameter of this operation' : otherwise
}

function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

function withoutNulls(customer: z.infer<typeof CustomerInput>): Customer {
  const { id, email, name } = customer
  return { id, ...(email == null ? {} : { email }), ...(name == null ? {} : { name }) }
}
