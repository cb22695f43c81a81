import { expect, test } from 'vitest'
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  type FieldErrors,
  fieldErrors,
  PaymentIntentSchema,
} from '../../src/index.ts'

const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

function fieldErrorsOf(input: unknown): FieldErrors | undefined {
  const { error } = CreatePaymentIntentSchema.safeParse(input)
  return error && fieldErrors(error, input)
}

function errorsOf(input: unknown): readonly string[] | undefined {
  const found = fieldErrorsOf(input)
  return found?.errors.map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`)
}

test('accepts a currency in any case and returns upper case', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, currency: 'uSd' }).currency).toBe('USD')
})

test('a null customer and null metadata equal leaving them out', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, customer: null, metadata: null })).toEqual(body)
  for (const empty of [{ email: null }, { name: null }]) {
    const customer = { id: 'c', ...empty }
    const parsed = CreatePaymentIntentSchema.parse({ ...body, customer })
    expect(parsed).toEqual({ ...body, customer: { id: 'c' } })
  }
})

test('returns fields in one order, regardless of the order of the input', () => {
  const { amount, currency, orderId } = body
  expect(JSON.stringify(CreatePaymentIntentSchema.parse({ orderId, currency, amount }))).toBe(
    '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  )
})

/** 32 keys of 12 bytes with values of 500 bytes: 16,384 bytes. */
const largeMetadata = Object.fromEntries(
  Array.from({ length: 32 }, (_, n) => [`key-${n}`.padEnd(12, '-'), 'é'.repeat(250)]),
)

/** A value, and the error about it. */
type Row = [value: object, error: string]

const minorUnits = 'a JSON number of minor units, such as 150000 for 1500.00 AMD'
const tooSmall = '/amount too_small: amount must be at least 1 minor unit'
const currencyList = 'must be one of AMD, USD, EUR, RUB'
const notSupported = `/currency not_supported: currency ${currencyList}`
const invisible = '/orderId too_short: orderId must have at least 1 visible character'
const tooLong = '/orderId too_long: orderId must have at most 32 characters'
const forbidden =
  '/orderId forbidden_character: orderId must not contain control, line-separator, or text-direction characters'

test.each<Row>([
  [{ amount: undefined }, `/amount required: amount is required: it must be ${minorUnits}`],
  [{ amount: '100' }, `/amount invalid_type: amount must be ${minorUnits}`],
  [
    { amount: 19.99 },
    '/amount not_an_integer: amount must be a whole number of minor units: 19.99 USD is 1999',
  ],
  [{ amount: 0 }, tooSmall],
  [{ amount: -0 }, tooSmall],
  [{ amount: 2 ** 53 }, '/amount too_big: amount must be at most 9007199254740991'],
  [{ currency: 'GBP' }, notSupported],
  [{ currency: ' USD' }, notSupported],
  [{ currency: undefined }, `/currency required: currency is required: it ${currencyList}`],
  [{ orderId: '' }, invisible],
  [{ orderId: '\u200b' }, invisible],
  [{ orderId: ' ' }, invisible],
  [{ orderId: '\u00a0\u2003' }, invisible],
  [{ orderId: '\u200d\u2060' }, invisible],
  [{ orderId: '\u3164' }, invisible],
  [{ orderId: '\u2800' }, invisible],
  [{ orderId: '\ufe0f' }, invisible],
  [{ orderId: '\u0301' }, invisible],
  [{ orderId: 'x'.repeat(33) }, tooLong],
  [{ orderId: '😀'.repeat(33) }, tooLong],
  [
    { orderId: '123e4567-e89b-12d3-a456-426614174000' },
    `${tooLong}; a UUID has 36: drop its hyphens`,
  ],
  [
    { orderId: '\ud800' },
    '/orderId forbidden_character: orderId must be well-formed text without lone surrogates',
  ],
  [{ orderId: 'a\nb' }, forbidden],
  [{ orderId: 'a\u202eb' }, forbidden],
  [{ orderId: 7 }, '/orderId invalid_type: orderId must be a string of 1 to 32 characters'],
  [{ order_id: 'A' }, '/order_id unknown_parameter: order_id is not a parameter of this operation'],
])('rejects the field %j: %s (threats 23, 26)', (change, error) => {
  expect(errorsOf({ ...body, ...change })).toEqual([error])
})

const oneAt = '/email invalid_format: customer.email must contain one @ between other characters'

test.each<Row>([
  [{}, '/id required: customer.id is required: it must be a string'],
  [{ id: 'c'.repeat(65) }, '/id too_long: customer.id must have at most 64 characters'],
  [{ id: 'c', email: 'a.b' }, oneAt],
  [{ id: 'c', email: 'a@b@c' }, oneAt],
  [
    { id: 'c', email: `${'a'.repeat(254)}@` },
    '/email too_long: customer.email must have at most 254 characters',
  ],
  [{ id: 'c', email: 'a@' }, '/email too_short: customer.email must have at least 3 characters'],
  [{ id: 'c', name: '' }, '/name too_short: customer.name must have at least 1 characters'],
  [
    { id: 'c', name: 'n'.repeat(129) },
    '/name too_long: customer.name must have at most 128 characters',
  ],
  [
    { id: 'c', name: '\ud800' },
    '/name forbidden_character: customer.name must be well-formed text without U+0000',
  ],
  [
    { id: 'c', vip: true },
    '/vip unknown_parameter: customer.vip is not a parameter of this operation',
  ],
])('rejects the customer %j: %s (threats 23, 26)', (customer, error) => {
  expect(errorsOf({ ...body, customer })).toEqual([`/customer${error}`])
})

const longKey = 'k'.repeat(41)
const manyKeys = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, '']))

test.each<Row>([
  [[], ' invalid_type: metadata must be an object of string values'],
  [{ 'a/b': 1 }, '/a~1b invalid_type: metadata.a/b must be a string'],
  [{ '': 'x' }, '/ too_short: metadata. has a key that must have at least 1 characters'],
  [
    { [longKey]: '' },
    `/${longKey} too_long: metadata.${longKey} has a key that must have at most 40 characters`,
  ],
  [{ a: 'v'.repeat(501) }, '/a too_long: metadata.a must have at most 500 characters'],
  [{ a: '\0' }, '/a forbidden_character: metadata.a must be well-formed text without U+0000'],
  ...['__proto__', 'constructor', 'prototype'].map(
    (key): Row => [
      JSON.parse(`{"a":"","${key}":"x"}`),
      ' forbidden_key: metadata must not use __proto__, constructor or prototype as a key',
    ],
  ),
  [manyKeys, ' too_many: metadata must have at most 50 keys'],
])('rejects the metadata %j: %s (threats 23, 26)', (metadata, error) => {
  expect(errorsOf({ ...body, metadata })).toEqual([`/metadata${error}`])
})

test('rejects metadata of 16,385 bytes, and text instead of an object (threats 23, 26)', () => {
  expect(errorsOf({ ...body, metadata: { ...largeMetadata, a: '' } })).toEqual([
    '/metadata too_long: metadata must have at most 16384 bytes in total',
  ])
  expect(errorsOf({ ...body, customer: 'c', metadata: 'x' })).toEqual([
    '/customer invalid_type: customer must be an object with an id',
    '/metadata invalid_type: metadata must be an object of string values',
  ])
  expect(errorsOf('text')).toEqual([
    ' invalid_type: body must be a JSON object with amount, currency and orderId',
  ])
})

test('accepts the largest and the smallest values', () => {
  const largest = {
    amount: 2 ** 53 - 1,
    currency: 'AMD',
    orderId: 'A',
    customer: { id: 'c'.repeat(64), email: `${'a'.repeat(251)}@bc`, name: 'n'.repeat(128) },
    metadata: largeMetadata,
  }
  const keys = Array.from({ length: 50 }, (_, n) => [`k${n}`.padEnd(40, '-'), ''])
  const smallest = {
    ...body,
    amount: 1,
    customer: { id: 'c', email: 'a@b', name: 'n' },
    metadata: Object.fromEntries(keys),
  }
  for (const input of [largest, smallest]) {
    expect(CreatePaymentIntentSchema.parse(input)).toEqual(input)
  }
})

test('lists at most 20 fields and counts the others', () => {
  const fields = Array.from({ length: 30 }, (_, n) => [`x${n}`, n])
  const input = { ...body, ...Object.fromEntries(fields), amount: 0, metadata: { 'a~/b': 1 } }
  const found = fieldErrorsOf(input)
  const pointers = found?.errors.map(({ pointer }) => pointer)
  expect(pointers?.slice(0, 3)).toEqual(['/amount', '/metadata/a~0~1b', '/x0'])
  expect(pointers).toHaveLength(20)
  expect(found?.errorsOmitted).toBe(12)
})

test('an order identifier of 32 code points is accepted unchanged (threat 25)', () => {
  for (const orderId of ['x'.repeat(32), '😀'.repeat(32), 'e\u0301'.repeat(16)]) {
    expect(CreatePaymentIntentSchema.parse({ ...body, orderId }).orderId).toBe(orderId)
  }
})

test('cuts a long field name between characters', () => {
  const input = { ...body, [`${'a'.repeat(63)}😀😀${'b'.repeat(60_000)}`]: 1, ['é'.repeat(64)]: 1 }
  const names = [`${'a'.repeat(63)}😀…`, 'é'.repeat(64)]
  expect(errorsOf(input)).toEqual(
    names.map((name) => `/${name} unknown_parameter: ${name} is not a parameter of this operation`),
  )
})

const intent = {
  ...body,
  id: 'pi_1',
  status: 'failed',
  customer: { id: 'c' },
  metadata: { a: 'b' },
  paymentMethod: {
    type: 'card',
    card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
  },
  lastPaymentFailure: {
    code: 'card_declined',
    declineCode: null,
    message: 'Declined',
    retryable: true,
    occurredAt: '2026-11-20T10:00:00.000Z',
  },
  nextAction: { type: 'challenge', expiresAt: '2026-11-20T10:05:00.000Z' },
  providerPaymentId: 'pp_1',
  createdAt: '2026-11-20T10:00:00.000Z',
  updatedAt: '2026-11-20T10:00:00.000Z',
}

test('reads a complete response, and keeps fields of later versions', () => {
  expect(PaymentIntentSchema.parse({ ...intent, added: 1 })).toEqual({ ...intent, added: 1 })
  const created = { ...intent, clientSecret: 'pi_1_secret_x' }
  expect(CreatedPaymentIntentSchema.parse(created)).toEqual(created)
})

test.each([
  { id: undefined },
  { amount: undefined },
  { currency: undefined },
  { orderId: undefined },
  { customer: undefined },
  { metadata: undefined },
  { id: '' },
  { amount: 1.5 },
  { customer: {} },
  { metadata: { a: 1 } },
])('rejects the response %j', (change) => {
  expect(PaymentIntentSchema.safeParse({ ...intent, ...change }).success).toBe(false)
})

test.each([undefined, '', 7])('rejects the clientSecret %j of a created intent', (clientSecret) => {
  expect(CreatedPaymentIntentSchema.safeParse({ ...intent, clientSecret }).success).toBe(false)
  expect(CreatedPaymentIntentSchema.safeParse({ clientSecret: 'x' }).success).toBe(false)
})

test.each([
  [{ status: 7 }, { status: 'unknown' }],
  [{ createdAt: 7 }, { createdAt: null }],
  [{ updatedAt: null }, { updatedAt: null }],
  [{ paymentMethod: {} }, { paymentMethod: null }],
  [{ paymentMethod: { type: 'card', card: {} } }, { paymentMethod: null }],
  [{ lastPaymentFailure: {} }, { lastPaymentFailure: null }],
  [{ nextAction: {} }, { nextAction: null }],
  [{ providerPaymentId: 7 }, { providerPaymentId: null }],
])('reads the response %j as %j', (change, read) => {
  expect(PaymentIntentSchema.parse({ ...intent, ...change })).toEqual({ ...intent, ...read })
})
