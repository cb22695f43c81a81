import { expect, test } from 'vitest'
import { ConfirmSchema, rejectPastExpiry } from '../../src/checkout/confirm.ts'
import { inputProblem } from '../../src/http/validation.ts'

const card = { number: '4242424242424242', expMonth: 12, expYear: 2040, cvc: '123' }
const method = { type: 'card', card }
const confirm = { confirmationId: 'attempt-00000001', version: 1, paymentMethod: method }

function withMethod(change: object): object {
  return { ...confirm, paymentMethod: { ...method, ...change } }
}

function withCard(change: object): object {
  return withMethod({ card: { ...card, ...change } })
}

test.each([
  confirm,
  { ...confirm, confirmationId: 'aZ09_-'.padEnd(64, 'x') },
  withCard({ expMonth: 1, expYear: 2000, cvc: '1234', holderName: 'A' }),
  withCard({ expYear: 2099, holderName: '😀\n'.repeat(64) }),
])('accepts body %#', (body) => {
  expect(ConfirmSchema.parse(body)).toEqual(body)
})

test.each<[field: string, code: string, body: object]>([
  ['confirmationId', 'invalid_format', { ...confirm, confirmationId: 'short' }],
  ['version', 'invalid_type', { ...confirm, version: '1' }],
  ['paymentMethod', 'required', { ...confirm, paymentMethod: undefined }],
  ['paymentMethod.type', 'not_supported', withMethod({ type: 'cash' })],
  ['paymentMethod.card', 'invalid_type', withMethod({ card: 7 })],
  ['paymentMethod.x', 'unknown_parameter', withMethod({ x: 1 })],
  ['paymentMethod.card.number', 'invalid_type', withCard({ number: 7 })],
  ['paymentMethod.card.expMonth', 'too_big', withCard({ expMonth: 13 })],
  ['paymentMethod.card.expYear', 'too_small', withCard({ expYear: 1999 })],
  ['paymentMethod.card.cvc', 'invalid_format', withCard({ cvc: '12345' })],
  ['paymentMethod.card.holderName', 'invalid_format', withCard({ holderName: '' })],
  ['paymentMethod.card.pin', 'unknown_parameter', withCard({ pin: '0000' })],
])('names the invalid field %s: %s', (field, code, body) => {
  const pointer = `/${field.replaceAll('.', '/')}`
  const detail = expect.stringMatching(RegExp(`^${field} (?:must|is)`))
  const { error } = ConfirmSchema.safeParse(body)
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
