import { expect, test } from 'vitest'
import {
  CreatedPaymentIntentSchema,
  CreatePaymentIntentSchema,
  type FieldError,
  type FieldErrors,
  fieldErrors,
  PaymentIntentSchema,
} from '../../src/index.ts'

const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

function fieldErrorsOf(input: unknown): FieldErrors | undefined {
  const { error } = CreatePaymentIntentSchema.safeParse(input)
  return error && fieldErrors(error, input)
}

/** 32 keys of 12 bytes with values of 500 bytes: 16,384 bytes. */
const largeMetadata = Object.fromEntries(
  Array.from({ length: 32 }, (_, n) => [`key-${n}`.padEnd(12, '-'), 'é'.repeat(250)]),
)

test.each<readonly [change: object, read: object]>([
  [{}, {}],
  [{ currency: 'uSd' }, { currency: 'USD' }],
  [{ customer: null, metadata: null }, {}],
  [{ customer: { id: 'c', email: null } }, { customer: { id: 'c' } }],
  [{ customer: { id: 'c', name: null } }, { customer: { id: 'c' } }],
  ...[
    { amount: 1, customer: { id: 'c', email: 'a@b', name: 'n' }, metadata: {} },
    {
      amount: 2 ** 53 - 1,
      customer: { id: '😀'.repeat(64), email: `${'a'.repeat(251)}@bc`, name: 'n'.repeat(128) },
      metadata: largeMetadata,
    },
    { metadata: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`${n}`.padEnd(40), ''])) },
    { metadata: { a: '😀'.repeat(500) } },
    // Characters are code points, and stay as they are.
    { orderId: 'x'.repeat(32) },
    { orderId: '😀'.repeat(32) },
    { orderId: 'e\u0301'.repeat(16) },
  ].map((change) => [change, change] as const),
])('reads a body with %j', (change, read) => {
  expect(CreatePaymentIntentSchema.parse({ ...body, ...change })).toEqual({ ...body, ...read })
})

test('returns fields in one order, regardless of the order of the input', () => {
  const { amount, currency, orderId } = body
  expect(JSON.stringify(CreatePaymentIntentSchema.parse({ orderId, currency, amount }))).toBe(
    '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  )
})

/** A value, and the error about it. */
type Row = [value: unknown, error: string]

const whole = 'must be a whole number of minor units: 15.50 is 1550'
const currencies = 'must be one of AMD, USD, EUR, RUB'
const invisible = ['', '\u00a0\u2003', '\u200d\u2060', ...' \u200b\u3164\u2800\ufe0f\u0301']
const tooLong = 'too_long: orderId must have at most 32 characters; a UUID fits without hyphens'
const forbidden =
  'forbidden_character: orderId must not contain control or text-direction characters'
const oneAt = 'invalid_format: customer.email must contain one @ between other characters'
const strings = 'invalid_type: metadata must be an object of string values'
const keys = 'forbidden_key: metadata must not use __proto__, constructor or prototype as a key'
const longKey = 'k'.repeat(41)

/** Values of each field that are rejected. */
const rejected: Readonly<Record<string, readonly Row[]>> = {
  amount: [
    [undefined, `required: amount is required: it ${whole}`],
    ['150000', `invalid_type: amount ${whole}; received a string`],
    [null, `invalid_type: amount ${whole}; received null`],
    [Number.NaN, `invalid_type: amount ${whole}; received NaN`],
    [19.99, `not_an_integer: amount ${whole}`],
    [0.5, `not_an_integer: amount ${whole}`],
    [0, 'too_small: amount must be at least 1 minor unit'],
    [-0, 'too_small: amount must be at least 1 minor unit'],
    [2 ** 53, 'too_big: amount must be at most 9007199254740991'],
  ],
  currency: [
    [undefined, `required: currency is required: it ${currencies}`],
    [7, `invalid_type: currency ${currencies}; received a number`],
    ['GBP', `not_supported: currency ${currencies}`],
    [' USD', `not_supported: currency ${currencies}`],
    ['u\u017fd', `not_supported: currency ${currencies}`],
  ],
  orderId: [
    [7, 'invalid_type: orderId must be a string of 1 to 32 characters; received a number'],
    ...invisible.map(
      (text): Row => [text, 'too_short: orderId must have at least 1 visible character'],
    ),
    ['x'.repeat(33), tooLong],
    ['😀'.repeat(33), tooLong],
    ['\ud800', 'forbidden_character: orderId must be well-formed text'],
    ['a\nb', forbidden],
    ['a\u202eb', forbidden],
  ],
  order_id: [['A', 'unknown_parameter: order_id is not a parameter of this operation']],
  customer: [
    ['c', 'invalid_type: customer must be an object with an id; received a string'],
    [{}, 'required: customer.id is required: it must be a string'],
    [{ id: [] }, 'invalid_type: customer.id must be a string; received an array'],
    [{ id: 'c'.repeat(65) }, 'too_long: customer.id must have at most 64 characters'],
    [{ id: 'c', vip: 1 }, 'unknown_parameter: customer.vip is not a parameter of this operation'],
  ],
  'customer.email': [
    ['a.b', oneAt],
    ['a@b@c', oneAt],
    ['a@', 'too_short: customer.email must have at least 3 characters'],
    [`${'a'.repeat(254)}@`, 'too_long: customer.email must have at most 254 characters'],
  ],
  'customer.name': [
    ['', 'too_short: customer.name must have at least 1 characters'],
    ['n'.repeat(129), 'too_long: customer.name must have at most 128 characters'],
    ['\ud800', 'forbidden_character: customer.name must be well-formed text without U+0000'],
  ],
  metadata: [
    [[], `${strings}; received an array`],
    ['x', `${strings}; received a string`],
    [{ a: 1 }, 'invalid_type: metadata.a must be a string; received a number'],
    [{ a: 'v'.repeat(501) }, 'too_long: metadata.a must have at most 500 characters'],
    [{ a: '\0' }, 'forbidden_character: metadata.a must be well-formed text without U+0000'],
    [{ '': 'x' }, 'too_short: metadata. as a key must have at least 1 characters'],
    [{ [longKey]: '' }, `too_long: metadata.${longKey} as a key must have at most 40 characters`],
    ...['__proto__', 'constructor', 'prototype'].map(
      (key): Row => [JSON.parse(`{"${key}":""}`), keys],
    ),
    [
      Object.fromEntries(Object.entries(Array(51).fill(7))),
      'too_many: metadata must have at most 50 keys',
    ],
    [{ ...largeMetadata, a: '' }, 'too_long: metadata must have at most 16384 bytes in total'],
  ],
}

test.each(
  Object.entries(rejected).flatMap(([field, rows]) => rows.map((row) => [field, ...row] as const)),
)('rejects the %s %j: %s', (field, value, expected) => {
  const [name, part] = field.split('.')
  const change = { [`${name}`]: part === undefined ? value : { id: 'c', [part]: value } }
  expect(fieldErrorsOf({ ...body, ...change })?.errors).toEqual([errorOf(expected)])
})

/** The error that a text describes: its code, and its detail, which begins with the name of the field. */
function errorOf(text: string): FieldError {
  const [code = '', detail = ''] = text.split(/: (.*)/s)
  return { pointer: `/${detail.split(' ')[0]?.replaceAll('.', '/')}`, code, detail }
}

test('rejects text in place of a body', () => {
  const detail = 'body must be a JSON object with amount, currency and orderId; received a string'
  expect(fieldErrorsOf('text')?.errors).toEqual([{ pointer: '', code: 'invalid_type', detail }])
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

test.each([
  [`${'a'.repeat(63)}😀😀${'b'.repeat(60_000)}`, `${'a'.repeat(63)}😀…`],
  ['é'.repeat(64), 'é'.repeat(64)],
  [`pi_sk_test_${'4e'.repeat(18)}`, 'pi_sk_test_…'],
  [`pi_1_secret_${'4e'.repeat(24)}`, 'pi_1_secret_…'],
  ['4539 1488 0343 6467', '…'],
])('shows the name %j as %s: a long one is cut, and a secret is masked', (name, shown) => {
  const detail = `${shown} is not a parameter of this operation`
  expect(fieldErrorsOf({ ...body, [name]: 1 })?.errors).toEqual([
    { pointer: `/${shown}`, code: 'unknown_parameter', detail },
  ])
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
  ...['id', 'amount', 'currency', 'orderId', 'customer', 'metadata'].map((name) => ({
    [name]: undefined,
  })),
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
