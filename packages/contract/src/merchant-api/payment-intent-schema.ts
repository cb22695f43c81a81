/**
 * Schemas of a Payment Intent. Requests are strict. Responses tolerate fields and statuses that this version does
 * not support.
 *
 * @module
 */
import { z } from 'zod'
import { currencies } from './money.ts'
import { codePoints, orderIdError } from './order-id.ts'
import type {
  CreatedPaymentIntent,
  CreatePaymentIntent,
  Customer,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from './payment-intent.ts'
import type { FieldErrorCode } from './problem.ts'
import { limits } from './spec-decisions.ts'

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

const currencyRule = { error: `must be one of ${currencies.join(', ')}` }
const CurrencyCode = z
  .string(currencyRule)
  // ASCII only: toUpperCase changes some other letters.
  .transform((code) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase()))
  .pipe(z.enum(currencies, currencyRule))

const OrderId = z.string({ error: 'must be a string of 1 to 32 characters' }).check(
  rule<string>((orderId) => {
    const error = orderIdError(orderId)
    return error && [error.code, error.detail]
  }),
)

const Email = boundedText({ min: 3, max: limits.customerEmail }).check(
  rule<string>((email) =>
    /^[^@]+@[^@]+$/.test(email)
      ? undefined
      : ['invalid_format', 'must contain one @ between other characters'],
  ),
)

const CustomerInput = z.strictObject(
  {
    id: boundedText({ min: 1, max: limits.customerId }),
    email: Email.nullish(),
    name: boundedText({ min: 1, max: limits.customerName }).nullish(),
  },
  { error: 'must be an object with an id' },
)

const MetadataInput = z
  .unknown()
  // Before z.record, which drops `__proto__` silently.
  .check(
    rule<unknown>((value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
      const keys = Object.keys(value)
      if (keys.some(isForbiddenKey)) {
        return ['forbidden_key', 'must not use __proto__, constructor or prototype as a key']
      }
      // Before the values: each invalid value creates an issue.
      return keys.length > limits.metadataKeys
        ? ['too_many', `must have at most ${limits.metadataKeys} keys`]
        : undefined
    }),
  )
  .pipe(
    z
      .record(
        boundedText({ min: 1, max: limits.metadataKey }),
        boundedText({ min: 0, max: limits.metadataValue }),
        { error: 'must be an object of string values' },
      )
      .check(
        rule<Record<string, string>>((metadata) => {
          const bytes = new TextEncoder().encode(Object.entries(metadata).flat().join('')).length
          return bytes > limits.metadataBytes
            ? ['too_long', `must have at most ${limits.metadataBytes} bytes in total`]
            : undefined
        }),
      ),
  )

/**
 * Reads and normalizes the body of a create. `null` for `customer` or `metadata` equals leaving it out, and
 * currency may have any case. Equal requests have equal results, which idempotency compares.
 *
 * @see Payment Intents specification, §4.1
 */
export const CreatePaymentIntentSchema: z.ZodType<CreatePaymentIntent> = z
  .strictObject(
    {
      amount: Amount,
      currency: CurrencyCode,
      orderId: OrderId,
      customer: CustomerInput.nullish(),
      metadata: MetadataInput.nullish(),
    },
    { error: 'must be a JSON object with amount, currency and orderId' },
  )
  .transform(({ amount, currency, orderId, customer, metadata }) => ({
    amount,
    currency,
    orderId,
    ...(customer ? { customer: withoutNulls(customer) } : {}),
    ...(metadata ? { metadata } : {}),
  }))

const PaymentMethodSchema: z.ZodType<PaymentMethod> = z.looseObject({
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

const PaymentFailureSchema: z.ZodType<PaymentFailure> = z.looseObject({
  code: z.string(),
  declineCode: z.string().nullable(),
  message: z.string(),
  retryable: z.boolean(),
  occurredAt: z.string(),
})

// Fields that the specification names are required. A service that names the others differently yields `unknown` or
// `null`, never a payment.
const intentFields = {
  id: z.string().min(1),
  status: z.string().catch('unknown'),
  amount: z.int(),
  currency: z.string(),
  orderId: z.string(),
  customer: z
    .looseObject({ id: z.string(), email: z.string().nullish(), name: z.string().nullish() })
    .nullable(),
  metadata: z.record(z.string(), z.string()).nullable(),
  paymentMethod: PaymentMethodSchema.nullable().catch(null),
  lastPaymentFailure: PaymentFailureSchema.nullable().catch(null),
  nextAction: z.looseObject({ type: z.string(), expiresAt: z.string() }).nullable().catch(null),
  providerPaymentId: z.string().nullable().catch(null),
  // Not nullable: ours always has them.
  createdAt: z.string().catch(null as never),
  updatedAt: z.string().catch(null as never),
}

/**
 * Reads a Payment Intent that the service returned.
 *
 * @see Payment Intents specification, §2.1
 */
export const PaymentIntentSchema: z.ZodType<PaymentIntent> = z.looseObject(intentFields)

export const CreatedPaymentIntentSchema: z.ZodType<CreatedPaymentIntent> = z.looseObject({
  ...intentFields,
  clientSecret: z.string().min(1),
})

/** A check that adds an error code to its message, for `fieldErrors`. */
function rule<T>(
  check: (value: T) => readonly [code: FieldErrorCode, message: string] | undefined,
): (context: z.core.ParsePayload<T>) => void {
  return ({ value, issues }) => {
    const [code, message] = check(value) ?? []
    if (message) issues.push({ code: 'custom', input: value, message, params: { code } })
  }
}

function boundedText({ min, max }: { readonly min: number; readonly max: number }): z.ZodString {
  return z.string({ error: 'must be a string' }).check(
    rule<string>((value) => {
      if (!value.isWellFormed() || value.includes('\u0000')) {
        return ['forbidden_character', 'must be well-formed text without U+0000']
      }
      const length = codePoints(value)
      if (length < min) return ['too_short', `must have at least ${min} characters`]
      return length > max ? ['too_long', `must have at most ${max} characters`] : undefined
    }),
  )
}

function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype'
}

function withoutNulls({ id, email, name }: z.infer<typeof CustomerInput>): Customer {
  return { id, ...(email == null ? {} : { email }), ...(name == null ? {} : { name }) }
}
