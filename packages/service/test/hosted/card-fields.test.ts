import { testCards } from '@pi-checkout/contract/sandbox'
import { seed } from '@pi-checkout/test-support/generated'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  brandOf,
  formatCvc,
  formatExpiry,
  groupNumber,
  readCard,
  validate,
} from '../../hosted/checkout/card-fields.ts'
import { authorize } from '../../src/provider/acquirer.ts'

const now = Date.UTC(2026, 10, 22)

test.each([
  ['4242424242424242 12/2034 123', '4242 4242 4242 4242'],
  ['378282246310005 1234', '3782 822463 10005'],
  ['', ''],
  ['3782822463100051234', '3782 822463 10005'],
])('formats the number %j as %j', (typed, shown) => {
  expect(groupNumber(typed)).toBe(shown)
})

test.each([
  ['1', '', '1'],
  ['4', '', '04 / '],
  ['12', '1', '12 / '],
  ['12 / 340', '12 / 34', '12 / 34'],
  ['1/30', '', '01 / 30'],
  ['12/2030', '', '12 / 30'],
  ['2031-03', '', '03 / 31'],
  ['12 / 2034', '12 / 203', '12 / 34'],
  ['12 / 20', '12 / 203', '12 / 20'],
  ['3 - 2031', '', '03 / 31'],
  ['12 /', '12 / ', '12'],
  ['', '1', ''],
])('formats the date %j after %j as %j', (typed, previous, shown) => {
  expect(formatExpiry(typed, previous)).toBe(shown)
})

test(`shows digits and separators of the right number for every text that is typed or pasted (PI_SEED=${seed})`, () => {
  const character = fc.constantFrom(...'0123456789012345678901234567890123456789 /.-٤４é<\u202e\0')
  const text = fc.oneof(
    { weight: 20, arbitrary: fc.string({ unit: character, maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constantFrom('4'.repeat(9999), '/'.repeat(5000)) },
  )
  const typed = fc.property(text, text, (value, previous) => {
    expect(groupNumber(value)).toMatch(/^[\d ]{0,19}$/)
    // While a year of four digits is typed, three of them are shown.
    expect(formatExpiry(value, previous)).toMatch(/^[\d/ ]{0,8}$/)
    expect(formatCvc(value, brandOf(value))).toMatch(/^\d{0,4}$/)
  })
  fc.assert(typed, { numRuns: 500, seed })
})

test('accepts a card to the last moment of its month in service time', () => {
  const errorOf = (expiry: string): unknown =>
    validate({ number: '4242424242424242', expiry, cvc: '123', name: '' }, now).expiry
  expect(errorOf('11 / 26')).toBeUndefined()
  expect(errorOf('10 / 26')).toBe('expiryPast')
  expect(errorOf('12 / 99')).toBeUndefined()
  expect(errorOf('')).toBe('expiryIncomplete')
  expect(errorOf('13 / 30')).toBe('expiryIncomplete')
  expect(errorOf('12 / 203')).toBe('expiryIncomplete')
})

test('accepts every test card, and detects its brand', () => {
  for (const number of Object.values(testCards)) {
    const brand = authorize({ number, expMonth: 12, expYear: 2040, cvc: '123' })?.summary.brand
    const cvc = brand === 'amex' ? '1234' : '123'
    expect(validate({ number, expiry: '12 / 40', cvc, name: '' }, now), number).toEqual({})
    expect(brandOf(number)?.type).toBe(brand)
  }
})

test.each([
  ['  Ani Test ', 'Ani Test'],
  ['Անի', 'Անի'],
  ['4242 4242-4242 4242', undefined],
  ['', undefined],
])('sends the name "%s" as %s', (name, holderName) => {
  const fields = { number: '4242 4242 4242 4242', expiry: '12 / 40', cvc: '123', name }
  expect(readCard(fields).holderName).toBe(holderName)
})

test.each([
  ['', 'numberIncomplete'],
  ['4242', 'numberIncomplete'],
  ['4111 1111 1111 1111', 'numberNotTest'],
])('rejects the number "%s" with %s', (number, error) => {
  expect(validate({ number, expiry: '12 / 40', cvc: '123', name: '' }, now).number).toBe(error)
})
