/**
 * Schemas of a Payment Intent. Requests are strict. Responses tolerate fields and statuses that this version does
 * not support. `meta` describes for OpenAPI what zod checks in code.
 *
 * @module
 */
import { z } from 'zod'
import { currencies } from './money.ts'
import type {
  CreatedPaymentIntent,
  CreatePaymentIntent,
  PaymentFailure,
  PaymentIntent,
  PaymentMethod,
} from './payment-intent.ts'
import type { FieldError, FieldErrorCode } from './problem.ts'
import { limits } from './spec-decisions.ts'

/** Controls, line and paragraph separators, and characters that change the reading direction (UAX #9). */
export const controlCharacters: RegExp = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

// Anything but spaces, combining marks, and characters that fonts do not show.
const visible = /[^\p{Z}\p{Cc}\p{Cf}\p{M}\p{Default_Ignorable_Code_Point}\u2800]/u

// Rejected rather than normalized, so that the response contains exactly what was sent.
const OrderId = z
  .string('must be a string of 1 to 32 characters')
  .refine((id) => id.isWellFormed(), coded('forbidden_character', 'must be well-formed text'))
  .refine(
    (id) => !controlCharacters.test(id),
    coded('forbidden_character', 'must not contain control or text-direction characters'),
  )
  .refine((id) => visible.test(id), coded('too_short', 'must have at least 1 visible character'))
  .max(
    limits.orderId,
    `must have at most ${limits.orderId} characters; a UUID fits without hyphens`,
  )
  .meta({ minLength: 1 })

/**
 * Returns why a text cannot be an order identifier, or `undefined`. The detail is to follow the name of the field.
 *
 * @see Payment Intents specification, §4.1 and §8: at most 32 characters
 */
export function orderIdError(orderId: string): Pick<FieldError, 'detail'> | undefined {
  const [issue] = OrderId.safeParse(orderId).error?.issues ?? []
  return issue && { detail: issue.message }
}

const wholeUnits = 'must be a whole number of minor units: 15.50 is 1550'
const Amount = z
  .number(wholeUnits)
  .refine(Number.isInteger, coded('not_an_integer', wholeUnits))
  .min(1, 'must be at least 1 minor unit')
  .max(limits.amount, `must be at most ${limits.amount}`)
  .meta({ type: 'integer', description: 'Minor units: 150000 is 1500.00 AMD' })

const currencyRule = `must be one of ${currencies.join(', ')}`
const CurrencyCode = z
  .string(currencyRule)
  // ASCII only: toUpperCase changes some other letters.
  .overwrite((code) => code.replace(/[a-z]/g, (letter) => letter.toUpperCase()))
  .pipe(z.enum(currencies, currencyRule))
  .meta({ enum: currencies.flatMap((code) => [code, code.toLowerCase()]) })

const Email = text({ min: 3, max: limits.customerEmail }).regex(
  /^[^@]+@[^@]+$/,
  'must contain one @ between other characters',
)

const CustomerInput = z
  .strictObject(
    {
      id: text({ max: limits.customerId }),
      email: Email.nullish(),
      name: text({ max: limits.customerName }).nullish(),
    },
    'must be an object with an id',
  )
  .transform(withoutNulls)

const metadataRule = 'must be an object of string values'
const MetadataInput = z
  // Before z.record, which drops `__proto__` silently, and adds an issue for each invalid value.
  .custom<object>(z.util.isPlainObject, coded('invalid_type', metadataRule))
  .refine(
    (metadata) =>
      !['__proto__', 'constructor', 'prototype'].some((key) => Object.hasOwn(metadata, key)),
    coded('forbidden_key', 'must not use __proto__, constructor or prototype as a key'),
  )
  .refine(
    (metadata) => Object.keys(metadata).length <= limits.metadataKeys,
    coded('too_many', `must have at most ${limits.metadataKeys} keys`),
  )
  .pipe(
    z.record(
      text({ max: limits.metadataKey }),
      text({ min: 0, max: limits.metadataValue }),
      metadataRule,
    ),
  )
  .refine(
    (metadata) =>
      new TextEncoder().encode(Object.entries(metadata).flat().join('')).length <=
      limits.metadataBytes,
    coded('too_long', `must have at most ${limits.metadataBytes} bytes in total`),
  )
  .meta({
    type: 'object',
    maxProperties: limits.metadataKeys,
    propertyNames: { minLength: 1, maxLength: limits.metadataKey },
    additionalProperties: { type: 'string', maxLength: limits.metadataValue },
    description: `At most ${limits.metadataBytes} bytes in total`,
  })

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
    'must be a JSON object with amount, currency and orderId',
  )
  .transform(withoutNulls)

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

/** Well-formed text. zod counts code points. */
function text({ min = 1, max }: { readonly min?: number; readonly max: number }): z.ZodString {
  return z
    .string('must be a string')
    .refine(
      (value) => value.isWellFormed() && !value.includes('\u0000'),
      coded('forbidden_character', 'must be well-formed text without U+0000'),
    )
    .min(min, `must have at least ${min} characters`)
    .max(max, `must have at most ${max} characters`)
}

/** Parameters of a check whose error code zod does not have. `fieldErrors` reads it. */
function coded(code: FieldErrorCode, error: string) {
  return { error, params: { code } }
}

/** The fields that are neither `null` nor `undefined`. */
function withoutNulls<Fields extends object>(fields: Fields) {
  const given = Object.entries(fields).filter(([, value]) => value != null)
  return Object.fromEntries(given) as {
    [Name in keyof Fields]: Exclude<Fields[Name], null | undefined>
  }
}
