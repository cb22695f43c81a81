/**
 * The schemas of a Payment Intent: what a merchant sends and what comes back, read at the border.
 *
 * Requests are strict, so that `order_id` is caught; answers tolerate fields and statuses that this
 * version does not know. Each schema has the type of the same name in `payment-intent.ts`.
 *
 * @module
 */
import { z } from 'zod'
import { currencies } from './money.ts'
import { limits, type PaymentIntentStatus } from './open-choices.ts'
import { codePoints, orderIdFault } from './order-id.ts'
import type * as plain from './payment-intent.ts'
import type { FieldErrorCode } from './problem.ts'
import { unknownParameterRule } from './problem-schema.ts'

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
    rule<unknown>((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
      const keys = Object.keys(value)
      if (keys.some(isForbiddenKey)) {
        return ['forbidden_key', 'must not use __proto__, constructor or prototype as a key']
      }
      // Before the values: a flood of wrong ones would be thousands of issues.
      return keys.length > limits.metadataKeys
        ? ['too_many', `must hold at most ${limits.metadataKeys} keys`]
        : undefined
    }),
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
          const bytes = new TextEncoder().encode(Object.entries(metadata).flat().join('')).length
          return bytes > limits.metadataBytes
            ? ['too_long', `must hold at most ${limits.metadataBytes} bytes in all`]
            : undefined
        }),
      ),
  )

/**
 * Reads the body of a create, in any case of currency, and normalises it.
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

export type CreatePaymentIntent = plain.CreatePaymentIntent

/** Reads the summary of the buyer's method. */
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
export type PaymentMethod = plain.PaymentMethod

/** Reads the latest failure. */
export const PaymentFailure = z.looseObject({
  code: z.string(),
  declineCode: z.string().nullable(),
  message: z.string(),
  retryable: z.boolean(),
  occurredAt: z.string(),
})
export type PaymentFailure = plain.PaymentFailure

/** Reads what the hosted checkout waits for. */
export const NextAction = z.looseObject({
  type: z.string(),
  expiresAt: z.string(),
})
export type NextAction = plain.NextAction

/**
 * Reads a Payment Intent as the service answers it.
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
export type PaymentIntent = plain.PaymentIntent

/** Reads the answer to a create. */
export const CreatedPaymentIntent = PaymentIntent.extend({ clientSecret: z.string().min(1) })
export type CreatedPaymentIntent = plain.CreatedPaymentIntent

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
  return (issue) => (issue.code === 'unrecognized_keys' ? unknownParameterRule : otherwise)
}

function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

function withoutNulls(customer: z.infer<typeof CustomerInput>): plain.Customer {
  const { id, email, name } = customer
  return { id, ...(email == null ? {} : { email }), ...(name == null ? {} : { name }) }
}
