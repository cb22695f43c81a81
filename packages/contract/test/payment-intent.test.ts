import { expect, test } from 'vitest'
import { CreatePaymentIntent, fieldErrors, PaymentIntent, phaseOf } from '../src/index.ts'

const body = { amount: 150000, currency: 'AMD', orderId: 'A-1001' }

function faults(input: unknown): readonly string[] {
  const read = CreatePaymentIntent.safeParse(input)
  if (read.success) return []
  return fieldErrors(read.error, input).errors.map(({ pointer, code }) => `${pointer} ${code}`)
}

test('currency is taken in any case and comes out in upper case', () => {
  expect(CreatePaymentIntent.parse({ ...body, currency: 'uSd' }).currency).toBe('USD')
})

test('a null customer and null metadata equal leaving them out', () => {
  expect(CreatePaymentIntent.parse({ ...body, customer: null, metadata: null })).toEqual(body)
  expect(CreatePaymentIntent.parse({ ...body, customer: { id: 'c', email: null } })).toEqual({
    ...body,
    customer: { id: 'c' },
  })
})

test('fields come out in one order, whatever order they came in', () => {
  const { amount, currency, orderId } = body
  expect(JSON.stringify(CreatePaymentIntent.parse({ orderId, currency, amount }))).toBe(
    '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
  )
})

const refused: readonly (readonly [string, unknown, string])[] = [
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

for (const [what, input, fault] of refused) {
  test(`${what} is refused with pointer and code: ${fault} (threats 23, 26)`, () => {
    expect(faults(input)).toEqual([fault])
  })
}

for (const orderId of ['x'.repeat(32), '😀'.repeat(32), 'e\u0301'.repeat(16)]) {
  test(`an order identifier of 32 code points is taken as it is (${orderId.length} code units) (threat 25)`, () => {
    expect(CreatePaymentIntent.parse({ ...body, orderId }).orderId).toBe(orderId)
  })
}

test('a 36-character UUID is told what to do instead', () => {
  const orderId = '123e4567-e89b-12d3-a456-426614174000'
  const read = CreatePaymentIntent.safeParse({ ...body, orderId })
  const [error] = read.success ? [] : fieldErrors(read.error, { ...body, orderId }).errors
  expect(error?.detail).toBe(
    'orderId must hold at most 32 characters; a UUID has 36: drop its hyphens, or use newOrderId() of @pi-checkout/server',
  )
})

test('a long name of a field is cut, and never in the middle of a character', () => {
  const input = { ...body, [`${'a'.repeat(63)}😀😀${'b'.repeat(60_000)}`]: 1, ['é'.repeat(64)]: 1 }
  const read = CreatePaymentIntent.safeParse(input)
  const found = read.success ? undefined : fieldErrors(read.error, input)
  expect(found?.errors.map(({ pointer }) => pointer)).toEqual([
    `/${'a'.repeat(63)}😀…`,
    `/${'é'.repeat(64)}`,
  ])
})

test('an answer whose role fields have other names is read, and never as a payment', () => {
  const intent = PaymentIntent.parse({
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

test('only succeeded is paid; an unknown status and an inherited name are unknown', () => {
  expect(['succeeded', 'processing', 'canceled', 'settled', 'constructor'].map(phaseOf)).toEqual([
    'paid',
    'processing',
    'failed',
    'unknown',
    'unknown',
  ])
})
