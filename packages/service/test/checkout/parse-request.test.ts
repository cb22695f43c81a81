import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import {
  ConfirmSchema,
  EmptySchema,
  OpenChallengeSchema,
  OpenSessionSchema,
  parseBody,
  rejectPastExpiry,
  rejectRealCards,
} from '../../src/checkout/parse-request.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' }
const paymentMethod = { type: 'card', card }
const confirm = { attemptId: 'attempt-00000001', version: 1, paymentMethod }
const id = `pi_${'1'.repeat(24)}`
const session = { id, clientSecret: `${id}_secret_x`, origin: 'https://shop.example' }

function withCard(change: object): object {
  return { ...confirm, paymentMethod: { ...paymentMethod, card: { ...card, ...change } } }
}

test.each<[schema: z.ZodType, body: object]>([
  [OpenSessionSchema, session],
  [OpenSessionSchema, { ...session, clientSecret: '\n'.repeat(512), origin: '\n'.repeat(255) }],
  [OpenChallengeSchema, {}],
  [OpenChallengeSchema, { returnUrl: 'x'.repeat(8192) }],
  [EmptySchema, {}],
  [ConfirmSchema, confirm],
  [ConfirmSchema, { ...confirm, attemptId: 'aZ09_-'.padEnd(64, 'x') }],
  [ConfirmSchema, withCard({ expMonth: 1, expYear: 2000, cvc: '1234', holderName: 'A' })],
  [ConfirmSchema, withCard({ expYear: 2099, holderName: '😀\n'.repeat(64) })],
])('accepts body %#', (schema, body) => {
  expect(parseBody(schema, body)).toEqual(body)
})

const secretRule = 'must be the clientSecret of that Payment Intent'
const originRule = 'must be the origin of the page around the checkout'
const addressRule = 'must be an address of at most 8192 characters'
const attemptRule = 'must be 16 to 64 letters, digits, -, or _'
const cvcRule = 'must be 3 or 4 digits'
const nameRule = 'must be 1 to 128 characters'
const unknown = ['unknown_parameter', 'is not a parameter'] as const

type Row = readonly [change: object, code: string, rule: string]

describe.each<
  [name: string, z.ZodType, pointer: string, (change: object) => object, readonly Row[]]
>([
  [
    'a session',
    OpenSessionSchema,
    '',
    (change) => ({ ...session, ...change }),
    [
      [{ id: 'a b' }, 'invalid_format', 'must be the id of a Payment Intent'],
      [{ clientSecret: 'x'.repeat(513) }, 'invalid_format', secretRule],
      [{ origin: 'x'.repeat(256) }, 'invalid_format', originRule],
      [{ x: 1 }, ...unknown],
    ],
  ],
  [
    'a challenge',
    OpenChallengeSchema,
    '',
    (change) => change,
    [
      [{ returnUrl: 7 }, 'invalid_type', addressRule],
      [{ returnUrl: 'x'.repeat(8193) }, 'too_long', addressRule],
      [{ x: 1 }, ...unknown],
    ],
  ],
  ['a cancel', EmptySchema, '', (change) => change, [[{ x: 1 }, ...unknown]]],
  [
    'a confirmation',
    ConfirmSchema,
    '',
    (change) => ({ ...confirm, ...change }),
    [
      [{ attemptId: 'x'.repeat(65) }, 'invalid_format', attemptRule],
      [{ version: '1' }, 'invalid_type', 'must be the version of the intent that the buyer saw'],
      [{ amount: 1 }, ...unknown],
    ],
  ],
  [
    'a payment method',
    ConfirmSchema,
    '/paymentMethod',
    (change) => ({ ...confirm, paymentMethod: { ...paymentMethod, ...change } }),
    [
      [{ type: 'cash' }, 'not_supported', 'must be "card"'],
      [{ x: 1 }, ...unknown],
    ],
  ],
  [
    'a card',
    ConfirmSchema,
    '/paymentMethod/card',
    withCard,
    [
      [{ number: 7 }, 'invalid_type', 'must be a string of digits'],
      [{ expMonth: 13 }, 'too_big', 'must be at most 12'],
      [{ expYear: '2040' }, 'invalid_type', 'must be a year of four digits'],
      [{ expYear: 2100 }, 'too_big', 'must be at most 2099'],
      [{ cvc: '12345' }, 'invalid_format', cvcRule],
      [{ holderName: 'x'.repeat(129) }, 'invalid_format', nameRule],
      [{ pin: '0000' }, ...unknown],
    ],
  ],
])('%s', (_, schema, parent, change, rows) => {
  test.each(rows)('names invalid field %#', (changes, code, rule) => {
    const pointer = `${parent}/${Object.keys(changes)[0]}`
    const detail = `${pointer.slice(1).replaceAll('/', '.')} ${rule}`
    expect(() => parseBody(schema, change(changes))).toThrow(
      expect.objectContaining({
        code: 'validation_failed',
        message: 'A field of the body is invalid.',
        errors: [{ pointer, code, detail: expect.stringContaining(detail) }],
      }),
    )
  })
})

test.each([
  confirm,
  null,
  undefined,
  'text',
  {},
  { paymentMethod: null },
  { paymentMethod: { card: 7 } },
  { paymentMethod: { card: { number: 4111111111111111 } } },
])('leaves body %# to the check of its fields', (body) => {
  expect(() => rejectRealCards(body)).not.toThrow()
})

test('accepts a card until its month has ended in each time zone', () => {
  const body = parseBody(ConfirmSchema, withCard({ expMonth: 2, expYear: 2028 }))
  rejectPastExpiry(body, new Date('2028-03-01T11:59:59.999Z'))
  expect(() => rejectPastExpiry(body, new Date('2028-03-01T12:00:00.000Z'))).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      message: 'A field of the body is invalid.',
      errors: [
        {
          pointer: '/paymentMethod/card/expYear',
          code: 'too_small',
          detail: 'paymentMethod.card.expYear must be in the future, together with expMonth',
        },
      ],
    }),
  )
})
