import { expect, test } from 'vitest'
import type { z } from 'zod'
import {
  ConfirmSchema,
  EmptySchema,
  OpenChallengeSchema,
  OpenSessionSchema,
  rejectPastExpiry,
} from '../../src/checkout/parse-request.ts'
import { inputProblem } from '../../src/http/validation.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' }
const method = { type: 'card', card }
const confirm = { confirmationId: 'attempt-00000001', version: 1, paymentMethod: method }
const id = `pi_${'1'.repeat(24)}`
const session = { id, clientSecret: `${id}_secret_x`, origin: 'https://shop.example' }

function withMethod(change: object): object {
  return { ...confirm, paymentMethod: { ...method, ...change } }
}

function withCard(change: object): object {
  return withMethod({ card: { ...card, ...change } })
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
  expect(schema.parse(body)).toEqual(body)
})

test.each<[field: string, code: string, schema: z.ZodType, body: object]>([
  ['id', 'invalid_format', OpenSessionSchema, { ...session, id: 'a b' }],
  ['clientSecret', 'invalid_format', OpenSessionSchema, { ...session, clientSecret: '' }],
  ['origin', 'invalid_format', OpenSessionSchema, { ...session, origin: 'x'.repeat(256) }],
  ['returnUrl', 'invalid_type', OpenChallengeSchema, { returnUrl: 7 }],
  ['returnUrl', 'too_long', OpenChallengeSchema, { returnUrl: 'x'.repeat(8193) }],
  ['x', 'unknown_parameter', EmptySchema, { x: 1 }],
  ['confirmationId', 'invalid_format', ConfirmSchema, { ...confirm, confirmationId: 'short' }],
  ['version', 'invalid_type', ConfirmSchema, { ...confirm, version: '1' }],
  ['amount', 'unknown_parameter', ConfirmSchema, { ...confirm, amount: 1 }],
  ['paymentMethod', 'required', ConfirmSchema, { ...confirm, paymentMethod: undefined }],
  ['paymentMethod.type', 'not_supported', ConfirmSchema, withMethod({ type: 'cash' })],
  ['paymentMethod.card', 'required', ConfirmSchema, withMethod({ card: undefined })],
  ['paymentMethod.card', 'invalid_type', ConfirmSchema, withMethod({ card: 7 })],
  ['paymentMethod.x', 'unknown_parameter', ConfirmSchema, withMethod({ x: 1 })],
  ['paymentMethod.card.number', 'invalid_type', ConfirmSchema, withCard({ number: 7 })],
  ['paymentMethod.card.expMonth', 'too_big', ConfirmSchema, withCard({ expMonth: 13 })],
  ['paymentMethod.card.expYear', 'invalid_type', ConfirmSchema, withCard({ expYear: '2040' })],
  ['paymentMethod.card.expYear', 'too_small', ConfirmSchema, withCard({ expYear: 1999 })],
  ['paymentMethod.card.expYear', 'too_big', ConfirmSchema, withCard({ expYear: 2100 })],
  ['paymentMethod.card.cvc', 'invalid_format', ConfirmSchema, withCard({ cvc: '12345' })],
  ['paymentMethod.card.holderName', 'invalid_format', ConfirmSchema, withCard({ holderName: '' })],
  ['paymentMethod.card.pin', 'unknown_parameter', ConfirmSchema, withCard({ pin: '0000' })],
])('names the invalid field %s: %s', (field, code, schema, body) => {
  const pointer = `/${field.replaceAll('.', '/')}`
  const detail = expect.stringMatching(RegExp(`^${field} (?:must|is)`))
  const { error } = schema.safeParse(body)
  expect(error && inputProblem(error, body)).toMatchObject({
    code: code === 'unknown_parameter' ? code : 'validation_failed',
    errors: [{ pointer, code, detail }],
  })
})

test('accepts a card until its month has ended in each time zone', () => {
  const body = ConfirmSchema.parse(withCard({ expMonth: 2, expYear: 2028 }))
  rejectPastExpiry(body, new Date('2028-03-01T11:59:59.999Z'))
  const pointer = '/paymentMethod/card/expYear'
  const error = { pointer, code: 'too_small', detail: expect.stringContaining('in the future') }
  expect(() => rejectPastExpiry(body, new Date('2028-03-01T12:00:00.000Z'))).toThrow(
    expect.objectContaining({ code: 'validation_failed', errors: [error] }),
  )
})
