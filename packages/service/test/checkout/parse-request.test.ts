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

function rejects(schema: z.ZodType, body: object, error: { pointer: string; code: string }): void {
  expect(() => parseBody(schema, body)).toThrow(
    expect.objectContaining({
      code: 'validation_failed',
      errors: [
        { ...error, detail: expect.stringContaining(error.pointer.split('/').at(-1) ?? '') },
      ],
    }),
  )
}

test.each([
  [OpenSessionSchema, session, 'id', 'a b', 'invalid_format'],
  [OpenSessionSchema, session, 'clientSecret', 'x'.repeat(513), 'invalid_format'],
  [OpenSessionSchema, session, 'origin', 'x'.repeat(256), 'invalid_format'],
  [OpenChallengeSchema, {}, 'returnUrl', 'x'.repeat(8193), 'too_long'],
  [EmptySchema, {}, 'x', 1, 'unknown_parameter'],
  [ConfirmSchema, confirm, 'confirmationId', 'x'.repeat(65), 'invalid_format'],
  [ConfirmSchema, confirm, 'version', '1', 'invalid_type'],
  [ConfirmSchema, confirm, 'amount', 1, 'unknown_parameter'],
] as const)('names invalid field %#', (schema, body, field, value, code) => {
  rejects(schema, { ...body, [field]: value }, { pointer: `/${field}`, code })
})

test.each([
  ['number', 7, 'invalid_type'],
  ['expMonth', 13, 'too_big'],
  ['expYear', 1999, 'too_small'],
  ['cvc', '12345', 'invalid_format'],
  ['holderName', 'x'.repeat(129), 'invalid_format'],
  ['pin', '0000', 'unknown_parameter'],
] as const)('names the invalid field %s of a card', (field, value, code) => {
  const pointer = `/paymentMethod/card/${field}`
  rejects(ConfirmSchema, withCard({ [field]: value }), { pointer, code })
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
