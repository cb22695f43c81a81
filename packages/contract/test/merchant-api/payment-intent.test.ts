import { expect, test } from 'vitest'
import {
  CreatePaymentIntentSchema,
  fieldErrors,
  PaymentIntentSchema,
  phaseOf,
} from '../../src/index.ts'

const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

function errorsOf(input: unknown): readonly string[] {
  const read = CreatePaymentIntentSchema.safeParse(input)
  if (read.success) return []
  return fieldErrors(read.error, input).errors.map(({ pointer, code }) => `${pointer} ${code}`)
}

test('accepts a currency in any case and returns upper case', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, currency: 'uSd' }).currency).toBe('USD')
})

test('a null customer and null metadata equal leaving them out', () => {
  expect(CreatePaymentIntentSchema.parse({ ...body, customer: null, metadata: null })).toEqual(body)
  expect(CreatePaymentIntentSchema.parse({ ...body, customer: { id: 'c', email: null } })).toEqual({
    ...body,
    customer: { id: 'c' },
  })
})

test('returns fields in one order, regardless of the order of the input', () => {
  const { amount, currency, orderId } = body
  expect(JSON.stringify(CreatePaymentIntentSchema.parse({ orderId, currency, amount }))).toBe(
    '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  )
})

const invalid: readonly (readonly [string, unknown, string])[] = [
  ...['\u200b', ' ', '\u00a0\u2003', '\u200d\u2060', '\u3164', '\u2800', '\ufe0f', '\u0301'].map(
    (orderId) =>
      [
        `an order id without a visible character, ${escape(orderId)}`,
        { ...body, orderId },
        '/orderId too_short',
      ] as const,
  ),
  ['no amount', { ...body, amount: undefined }, '/amount required'],
  ['an amount of text', { ...body, amount: '100' }, '/amount invalid_type'],
  ['a fraction', { ...body, amount: 19.99 }, '/amount not_an_integer'],
  ['zero', { ...body, amount: 0 }, '/amount too_small'],
  ['minus zero', { ...body, amount: -0 }, '/amount too_small'],
  ['more than 2^53 - 1', { ...body, amount: 2 ** 53 }, '/amount too_big'],
  ['a foreign currency', { ...body, currency: 'GBP' }, '/currency not_supported'],
  ['a padded currency', { ...body, currency: ' USD' }, '/currency not_supported'],
  ['no currency', { ...body, currency: undefined }, '/currency required'],
  ['an empty order', { ...body, orderId: '' }, '/orderId too_short'],
  ['33 characters', { ...body, orderId: 'x'.repeat(33) }, '/orderId too_long'],
  ['33 emoji', { ...body, orderId: '😀'.repeat(33) }, '/orderId too_long'],
  ['a lone surrogate', { ...body, orderId: '\ud800' }, '/orderId forbidden_character'],
  ['a line break', { ...body, orderId: 'a\nb' }, '/orderId forbidden_character'],
  ['a direction override', { ...body, orderId: 'a\u202eb' }, '/orderId forbidden_character'],
  ['a misspelt field', { ...body, order_id: 'A' }, '/order_id unknown_parameter'],
  ['a customer without id', { ...body, customer: {} }, '/customer/id required'],
  [
    'an email without @',
    { ...body, customer: { id: 'c', email: 'a.b' } },
    '/customer/email invalid_format',
  ],
  ['a number in metadata', { ...body, metadata: { 'a/b': 1 } }, '/metadata/a~1b invalid_type'],
  ['U+0000 in metadata', { ...body, metadata: { a: '\0' } }, '/metadata/a forbidden_character'],
  ['metadata as a list', { ...body, metadata: [] }, '/metadata invalid_type'],
  [
    'an own __proto__',
    { ...body, metadata: JSON.parse('{"__proto__":"x"}') },
    '/metadata forbidden_key',
  ],
  [
    'a key of 41',
    { ...body, metadata: { ['k'.repeat(41)]: '' } },
    `/metadata/${'k'.repeat(41)} too_long`,
  ],
  ['a value of 501', { ...body, metadata: { a: 'v'.repeat(501) } }, '/metadata/a too_long'],
  [
    '51 keys',
    { ...body, metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, ''])) },
    '/metadata too_many',
  ],
  ['no object', 'text', ' invalid_type'],
]

test.each(invalid)('rejects %s with pointer and code (threats 23, 26)', (_, input, error) => {
  expect(errorsOf(input)).toEqual([error])
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

test('only succeeded is paid, and a status that is not known is unknown', () => {
  expect(['succeeded', 'processing', 'canceled', 'settled', 'constructor'].map(phaseOf)).toEqual([
    'paid',
    'processing',
    'failed',
    'unknown',
    'unknown',
  ])
})
