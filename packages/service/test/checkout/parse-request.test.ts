import { expect, test } from 'vitest'
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
const confirm = { confirmationId: 'attempt-00000001', version: 1, paymentMethod }
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
  [ConfirmSchema, { ...confirm, confirmationId: 'aZ09_-'.padEnd(64, 'x') }],
  [ConfirmSchema, withCard({ expMonth: 1, expYear: 2000, cvc: '1234', holderName: 'A' })],
  [ConfirmSchema, withCard({ expYear: 2099, holderName: '😀\n'.repeat(64) })],
])('accepts body %#', (schema, body) => {
  expect(parseBody(schema, body)).toEqual(body)
})

const addressRule = 'must be an address of at most 8192 characters'
type Row = readonly [field: string, value: unknown, code: string, rule: string]

const unknown = ['unknown_parameter', 'is not a parameter'] as const

test.each<[schema: z.ZodType, body: object, Row]>([
  [
    OpenSessionSchema,
    session,
    ['id', 'a b', 'invalid_format', 'must be the id of a Payment Intent'],
  ],
  [
    OpenSessionSchema,
    session,
    [
      'clientSecret',
      'x'.repeat(513),
      'invalid_format',
      'must be the clientSecret of that Payment Intent',
    ],
  ],
  [
    OpenSessionSchema,
    session,
    [
      'origin',
      'x'.repeat(256),
      'invalid_format',
      'must be the origin of the page around the checkout',
    ],
  ],
  [OpenChallengeSchema, {}, ['returnUrl', 7, 'invalid_type', addressRule]],
  [OpenChallengeSchema, {}, ['returnUrl', 'x'.repeat(8193), 'too_long', addressRule]],
  [EmptySchema, {}, ['x', 1, ...unknown]],
  [
    ConfirmSchema,
    confirm,
    [
      'confirmationId',
      'x'.repeat(65),
      'invalid_format',
      'must be 16 to 64 letters, digits, -, or _',
    ],
  ],
  [
    ConfirmSchema,
    confirm,
    ['version', '1', 'invalid_type', 'must be the version of the intent that the buyer saw'],
  ],
  [
    ConfirmSchema,
    confirm,
    ['paymentMethod', undefined, 'required', 'is required: it must be an object'],
  ],
  [ConfirmSchema, confirm, ['amount', 1, ...unknown]],
])('names invalid field %#', (schema, body, [field, value, code, rule]) => {
  expect(() => parseBody(schema, { ...body, [field]: value })).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      message: 'A field of the body is invalid.',
      errors: [{ pointer: `/${field}`, code, detail: expect.stringContaining(`${field} ${rule}`) }],
    }),
  )
})

test.each<Row>([
  ['number', 7, 'invalid_type', 'must be a string of digits'],
  ['expMonth', 13, 'too_big', 'must be a month from 1 to 12'],
  ['expYear', '2040', 'invalid_type', 'must be a year from 2000 to 2099'],
  ['expYear', 1999, 'too_small', 'must be a year from 2000 to 2099'],
  ['expYear', 2100, 'too_big', 'must be a year from 2000 to 2099'],
  ['cvc', '12345', 'invalid_format', 'must be 3 or 4 digits'],
  ['holderName', 'x'.repeat(129), 'invalid_format', 'must be 1 to 128 characters'],
  ['pin', '0000', ...unknown],
])('names the invalid field %s of a card', (field, value, code, rule) => {
  const pointer = `/paymentMethod/card/${field}`
  const detail = expect.stringContaining(`paymentMethod.card.${field} ${rule}`)
  expect(() => parseBody(ConfirmSchema, withCard({ [field]: value }))).toThrow(
    expect.objectContaining({ errors: [{ pointer, code, detail }] }),
  )
})

test.each<Row>([
  ['type', 'cash', 'not_supported', 'must be "card"'],
  ['card', undefined, 'required', 'is required: it must be an object'],
  ['card', 7, 'invalid_type', 'must be an object'],
  ['x', 1, ...unknown],
])('names the invalid field %s of a payment method', (field, value, code, rule) => {
  const body = { ...confirm, paymentMethod: { ...paymentMethod, [field]: value } }
  const detail = expect.stringContaining(`paymentMethod.${field} ${rule}`)
  expect(() => parseBody(ConfirmSchema, body)).toThrow(
    expect.objectContaining({ errors: [{ pointer: `/paymentMethod/${field}`, code, detail }] }),
  )
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
