import { expect, test } from 'vitest'
import { authorize, declines } from '../../src/provider/acquirer.ts'

const card = { expMonth: 12, expYear: 2040, cvc: '123', holderName: 'Ani Test' }
const authorised = { result: 'authorised' }
const declined = (decline: string, hard = false) => ({ result: 'declined', decline, hard })
const challenge = (framing: boolean, later: object) => ({ result: 'challenge', framing, later })

for (const [number, brand] of [
  ['4242424242424242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['378282246310005', 'amex'],
  ['2200000000000004', 'mir'],
  ['9051000000000009', 'arca'],
] as const) {
  test(`authorizes the ${brand} test card and keeps four of its digits`, () => {
    expect(authorize({ ...card, number })).toEqual({
      summary: { brand, last4: number.slice(-4), expMonth: 12, expYear: 2040, funding: 'credit' },
      outcome: authorised,
    })
  })
}

for (const [number, outcome] of [
  ['4000000000000002', declined('generic_decline')],
  ['4000000000009995', declined('insufficient_funds')],
  ['4000000000009987', declined('lost_card')],
  ['4000000000009979', declined('stolen_card', true)],
  ['4000000000000069', declined('expired_card')],
  ['4000000000000127', declined('incorrect_cvc')],
  ['4000000000000119', declined('processing_error')],
  ['4000000000003220', challenge(true, authorised)],
  ['4000002760003184', challenge(false, authorised)],
  ['4000008400001629', challenge(true, declined('generic_decline'))],
  ['4000008260003178', challenge(true, declined('insufficient_funds'))],
  ['4000008400001280', challenge(true, declined('authentication_unavailable'))],
  ['4000000000000341', { result: 'pending', after: 5000 }],
  ['4000000000000077', { result: 'pending', after: undefined }],
] as const) {
  test(`returns ${JSON.stringify(outcome)} for the card that ends in ${number.slice(-4)}`, () => {
    expect(authorize({ ...card, number })?.outcome).toEqual(outcome)
  })
}

test('ignores a number that is not a test card', () => {
  for (const number of ['4111111111111111', '4000056655665556', '', '4242 4242 4242 4242']) {
    expect(authorize({ ...card, number })).toBeUndefined()
  }
})

test('describes a lost and a stolen card as a plain decline', () => {
  const plain = declines.generic_decline
  expect(declines.lost_card).toEqual(plain)
  expect(declines.stolen_card).toEqual(plain)
})
