import { expect, test } from 'vitest'
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  fieldErrors,
  PaymentIntentSchema,
  phaseOf,
} from '../../src/index.ts'

const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

function errorsOf(input: unknown): readonly string[] {
  const read = CreatePaymentIntentSchema.safeParse(input)
  if (read.success) return []
  const { errors } = fieldErrors(read.error, input)
  return errors.map(({ pointer, code, detail }) => `${pointer} ${code}: ${detail}`)
}

test('accepts a currency in any case and returns upper case', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, currency: 'uSd' }).currency).toBe('USD')
})

test('a null customer and null metadata equal leaving them out', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, customer: null, metadata: null })).toEqual(body)
  for (const customer of [
    { id: 'c', email: null },
    { id: 'c', name: null },
  ]) {
    expect(CreatePaymentIntentSchema.parse({ ...body, customer })).toEqual({
      ...body,
      customer: { id: 'c' },
    })
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

const invalid: readonly (readonly [string, unknown, string])[] = [
  ...['\u200b', ' ', '\u00a0\u2003', '\u200d\u2060', '\u3164', '\u2800', '\ufe0f', '\u0301'].map(
    (orderId) =>
      [
        `an order id without a visible character, ${escape(orderId)}`,
        { ...body, orderId },
        '/orderId too_short: orderId must have at least 1 visible character',
      ] as const,
  ),
  [
    'no amount',
    { ...body, amount: undefined },
    '/amount required: amount is required: it must be a JSON number of minor units, such as 150000 for 1500.00 AMD',
  ],
  [
    'an amount of text',
    { ...body, amount: '100' },
    '/amount invalid_type: amount must be a JSON number of minor units, such as 150000 for 1500.00 AMD',
  ],
  [
    'a fraction',
    { ...body, amount: 19.99 },
    '/amount not_an_integer: amount must be a whole number of minor units: 19.99 USD is 1999',
  ],
  ['zero', { ...body, amount: 0 }, '/amount too_small: amount must be at least 1 minor unit'],
  [
    'minus zero',
    { ...body, amount: -0 },
    '/amount too_small: amount must be at least 1 minor unit',
  ],
  [
    'more than 2^53 - 1',
    { ...body, amount: 2 ** 53 },
    '/amount too_big: amount must be at most 9007199254740991',
  ],
  [
    'a foreign currency',
    { ...body, currency: 'GBP' },
    '/currency not_supported: currency must be one of AMD, USD, EUR, RUB',
  ],
  [
    'a padded currency',
    { ...body, currency: ' USD' },
    '/currency not_supported: currency must be one of AMD, USD, EUR, RUB',
  ],
  [
    'no currency',
    { ...body, currency: undefined },
    '/currency required: currency is required: it must be one of AMD, USD, EUR, RUB',
  ],
  [
    'an empty order',
    { ...body, orderId: '' },
    '/orderId too_short: orderId must have at least 1 visible character',
  ],
  [
    '33 characters',
    { ...body, orderId: 'x'.repeat(33) },
    '/orderId too_long: orderId must have at most 32 characters',
  ],
  [
    '33 emoji',
    { ...body, orderId: '😀'.repeat(33) },
    '/orderId too_long: orderId must have at most 32 characters',
  ],
  [
    'a lone surrogate',
    { ...body, orderId: '\ud800' },
    '/orderId forbidden_character: orderId must be well-formed text without lone surrogates',
  ],
  [
    'a line break',
    { ...body, orderId: 'a\nb' },
    '/orderId forbidden_character: orderId must not contain control, line-separator, or text-direction characters',
  ],
  [
    'a direction override',
    { ...body, orderId: 'a\u202eb' },
    '/orderId forbidden_character: orderId must not contain control, line-separator, or text-direction characters',
  ],
  [
    'a misspelt field',
    { ...body, order_id: 'A' },
    '/order_id unknown_parameter: order_id is not a parameter of this operation',
  ],
  [
    'a customer without id',
    { ...body, customer: {} },
    '/customer/id required: customer.id is required: it must be a string',
  ],
  [
    'an email without @',
    { ...body, customer: { id: 'c', email: 'a.b' } },
    '/customer/email invalid_format: customer.email must contain one @ between other characters',
  ],
  [
    'a number in metadata',
    { ...body, metadata: { 'a/b': 1 } },
    '/metadata/a~1b invalid_type: metadata.a/b must be a string',
  ],
  [
    'an email with two @',
    { ...body, customer: { id: 'c', email: 'a@b@c' } },
    '/customer/email invalid_format: customer.email must contain one @ between other characters',
  ],
  [
    'an email of 255',
    { ...body, customer: { id: 'c', email: `${'a'.repeat(254)}@` } },
    '/customer/email too_long: customer.email must have at most 254 characters',
  ],
  [
    'an email of 2',
    { ...body, customer: { id: 'c', email: 'a@' } },
    '/customer/email too_short: customer.email must have at least 3 characters',
  ],
  [
    'a customer of text',
    { ...body, customer: 'c' },
    '/customer invalid_type: customer must be an object with an id',
  ],
  [
    'another field of the customer',
    { ...body, customer: { id: 'c', vip: true } },
    '/customer/vip unknown_parameter: customer.vip is not a parameter of this operation',
  ],
  [
    'a customer id of 65',
    { ...body, customer: { id: 'c'.repeat(65) } },
    '/customer/id too_long: customer.id must have at most 64 characters',
  ],
  [
    'an empty name',
    { ...body, customer: { id: 'c', name: '' } },
    '/customer/name too_short: customer.name must have at least 1 characters',
  ],
  [
    'a name of 129',
    { ...body, customer: { id: 'c', name: 'n'.repeat(129) } },
    '/customer/name too_long: customer.name must have at most 128 characters',
  ],
  [
    'an order of a number',
    { ...body, orderId: 7 },
    '/orderId invalid_type: orderId must be a string of 1 to 32 characters',
  ],
  [
    'an empty key',
    { ...body, metadata: { '': 'x' } },
    '/metadata/ too_short: metadata. has a key that must have at least 1 characters',
  ],
  [
    'a lone surrogate in a name',
    { ...body, customer: { id: 'c', name: '\ud800' } },
    '/customer/name forbidden_character: customer.name must be well-formed text without U+0000',
  ],
  ...['constructor', 'prototype'].map(
    (key) =>
      [
        `the key ${key}`,
        { ...body, metadata: { a: '', [key]: '' } },
        '/metadata forbidden_key: metadata must not use __proto__, constructor or prototype as a key',
      ] as const,
  ),
  [
    'metadata of 16,385 bytes',
    { ...body, metadata: { ...largeMetadata, a: '' } },
    '/metadata too_long: metadata must have at most 16384 bytes in total',
  ],
  [
    'metadata of text',
    { ...body, metadata: 'x' },
    '/metadata invalid_type: metadata must be an object of string values',
  ],
  [
    'U+0000 in metadata',
    { ...body, metadata: { a: '\0' } },
    '/metadata/a forbidden_character: metadata.a must be well-formed text without U+0000',
  ],
  [
    'metadata as a list',
    { ...body, metadata: [] },
    '/metadata invalid_type: metadata must be an object of string values',
  ],
  [
    'an own __proto__',
    { ...body, metadata: JSON.parse('{"__proto__":"x"}') },
    '/metadata forbidden_key: metadata must not use __proto__, constructor or prototype as a key',
  ],
  [
    'a key of 41',
    { ...body, metadata: { ['k'.repeat(41)]: '' } },
    `/metadata/${'k'.repeat(41)} too_long: metadata.${'k'.repeat(41)} has a key that must have at most 40 characters`,
  ],
  [
    'a value of 501',
    { ...body, metadata: { a: 'v'.repeat(501) } },
    '/metadata/a too_long: metadata.a must have at most 500 characters',
  ],
  [
    '51 keys',
    {
      ...body,
      metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])),
    },
    '/metadata too_many: metadata must have at most 50 keys',
  ],
  [
    'no object',
    'text',
    ' invalid_type: body must be a JSON object with amount, currency and orderId',
  ],
]

test.each(invalid)(
  'rejects %s with pointer, code, and rule (threats 23, 26)',
  (_, input, error) => {
    expect(errorsOf(input)).toEqual([error])
  },
)

test('accepts the largest and the smallest values', () => {
  const largest = {
    ...{ amount: 2 ** 53 - 1, currency: 'AMD', orderId: 'A' },
    customer: { id: 'c'.repeat(64), email: `${'a'.repeat(252)}@b`, name: 'n'.repeat(128) },
    metadata: largeMetadata,
  }
  const keys = Array.from({ length: 50 }, (_, n) => [`k${n}`.padEnd(40, '-'), ''])
  const smallest = {
    ...{ ...body, amount: 1, customer: { id: 'c', email: 'a@b', name: 'n' } },
    metadata: Object.fromEntries(keys),
  }
  for (const input of [largest, smallest]) {
    expect(CreatePaymentIntentSchema.parse(input)).toEqual(input)
  }
})

test('lists at most 20 fields and counts the others', () => {
  const fields = Array.from({ length: 30 }, (_, n) => [`x${n}`, n])
  const input = { ...body, ...Object.fromEntries(fields), amount: 0, metadata: { 'a~/b': 1 } }
  const read = CreatePaymentIntentSchema.safeParse(input)
  const found = read.success ? undefined : fieldErrors(read.error, input)
  const pointers = found?.errors.map(({ pointer }) => pointer)
  expect([pointers?.slice(0, 3), pointers?.length]).toEqual([
    ['/amount', '/metadata/a~0~1b', '/x0'],
    20,
  ])
  expect(found?.errorsOmitted).toBe(12)
})

test('an order identifier of 32 code points is accepted unchanged (threat 25)', () => {
  for (const orderId of ['x'.repeat(32), '😀'.repeat(32), 'e\u0301'.repeat(16)]) {
    expect(CreatePaymentIntentSchema.parse({ ...body, orderId }).orderId).toBe(orderId)
  }
})

test('the error for a 36-character UUID contains the fix', () => {
  const orderId = '123e4567-e89b-12d3-a456-426614174000'
  const read = CreatePaymentIntentSchema.safeParse({ ...body, orderId })
  const [error] = read.success ? [] : fieldErrors(read.error, { ...body, orderId }).errors
  expect(error?.detail).toBe(
    'orderId must have at most 32 characters; a UUID has 36: drop its hyphens, or use newOrderId() of @pi-checkout/server',
  )
})

test('cuts a long field name between characters', () => {
  const input = { ...body, [`${'a'.repeat(63)}😀😀${'b'.repeat(60_000)}`]: 1, ['é'.repeat(64)]: 1 }
  const read = CreatePaymentIntentSchema.safeParse(input)
  const found = read.success ? undefined : fieldErrors(read.error, input)
  expect(found?.errors.map(({ pointer }) => pointer)).toEqual([
    `/${'a'.repeat(63)}😀…`,
    `/${'é'.repeat(64)}`,
  ])
})

const intent = {
  ...{ ...body, id: 'pi_1', status: 'failed', customer: { id: 'c' }, metadata: { a: 'b' } },
  paymentMethod: {
    type: 'card',
    card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
  },
  lastPaymentFailure: {
    ...{ code: 'card_declined', declineCode: null, message: 'Declined', retryable: true },
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
  ...['id', 'amount', 'currency', 'orderId', 'customer', 'metadata'].map((field) => ({
    [field]: undefined,
  })),
  ...[{ id: '' }, { amount: 1.5 }, { customer: {} }, { metadata: { a: 1 } }],
])('rejects the response %j', (change) => {
  expect(PaymentIntentSchema.safeParse({ ...intent, ...change }).success).toBe(false)
})

test.each([undefined, '', 7])('rejects the clientSecret %j of a created intent', (clientSecret) => {
  expect(CreatedPaymentIntentSchema.safeParse({ ...intent, clientSecret }).success).toBe(false)
  expect(CreatedPaymentIntentSchema.safeParse({ clientSecret: 'x' }).success).toBe(false)
})

test.each([
  [{ status: 7 }, { status: 'unknown' }],
  [
    { createdAt: 7, updatedAt: null },
    { createdAt: '', updatedAt: '' },
  ],
  [{ paymentMethod: {} }, { paymentMethod: null }],
  [{ paymentMethod: { type: 'card', card: {} } }, { paymentMethod: null }],
  [{ lastPaymentFailure: {} }, { lastPaymentFailure: null }],
  [{ nextAction: {} }, { nextAction: null }],
  [{ providerPaymentId: 7 }, { providerPaymentId: null }],
])('reads the response %j as %j', (change, read) => {
  expect(PaymentIntentSchema.parse({ ...intent, ...change })).toEqual({ ...intent, ...read })
})

test('reads a response with other field names, and never as a payment', () => {
  const intent = PaymentIntentSchema.parse({
    id: 'pi_1',
    amount: 1,
    currency: 'AMD',
    orderId: 'A',
    customer: null,
    metadata: null,
    state: 'paid',
  })
  expect(phaseOf(intent.status)).toBe('unknown')
  expect(intent.paymentMethod).toBeNull()
})
