import { testCards } from '@pi-checkout/contract/sandbox'
import { expect, test } from 'vitest'
import { authorize, describeDecline } from '../../src/provider/acquirer.ts'

const card = { expMonth: 12, expYear: 2040, cvc: '123', holderName: 'Ani Test' }

for (const [number, brand] of [
  ['4242424242424242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['378282246310005', 'amex'],
  ['2200000000000004', 'mir'],
  ['9051000000000009', 'arca'],
] as const) {
  test(`the ${brand} test card is authorised at once`, () => {
    expect(authorize({ ...card, number })).toEqual({
      summary: { brand, last4: number.slice(-4), expMonth: 12, expYear: 2040, funding: 'credit' },
      outcome: { result: 'authorised' },
    })
  })
}

for (const [number, decline, hard] of [
  ['4000000000000002', 'generic_decline', false],
  ['4000000000009995', 'insufficient_funds', false],
  ['4000000000009987', 'lost_card', false],
  ['4000000000009979', 'stolen_card', true],
  ['4000000000000069', 'expired_card', false],
  ['4000000000000127', 'incorrect_cvc', false],
  ['4000000000000119', 'processing_error', false],
] as const) {
  test(`the card that ends in ${number.slice(-4)} is declined: ${decline}`, () => {
    expect(authorize({ ...card, number })?.outcome).toEqual({ result: 'declined', decline, hard })
  })
}

for (const [number, framing, later] of [
  ['4000000000003220', true, { result: 'authorised' }],
  ['4000002760003184', false, { result: 'authorised' }],
  ['4000008400001629', true, { result: 'declined', decline: 'generic_decline', hard: false }],
  ['4000008260003178', true, { result: 'declined', decline: 'insufficient_funds', hard: false }],
  [
    '4000008400001280',
    true,
    { result: 'declined', decline: 'authentication_unavailable', hard: false },
  ],
] as const) {
  test(`the card that ends in ${number.slice(-4)} asks for a challenge first`, () => {
    const { outcome } = authorize({ ...card, number }) ?? {}
    expect(outcome).toEqual({ result: 'challenge', framing, later })
  })
}

for (const [number, after] of [
  ['4000000000000341', 5000],
  ['4000000000000077', undefined],
] as const) {
  test(`the card that ends in ${number.slice(-4)} keeps processing`, () => {
    expect(authorize({ ...card, number })?.outcome).toEqual({ result: 'pending', after })
  })
}

test('a number that is not a test card is not looked at, however valid it is', () => {
  for (const number of ['4111111111111111', '4000056655665556', '', '4242 4242 4242 4242']) {
    expect(authorize({ ...card, number })).toBeUndefined()
  }
})

test('every test card passes the check digit, so that forms accept it', () => {
  for (const number of Object.values(testCards)) expect(luhnRest(number), number).toBe(0)
})

test('a lost and a stolen card read exactly like a plain decline', () => {
  const plain = describeDecline({ decline: 'generic_decline' })
  expect(describeDecline({ decline: 'lost_card' })).toEqual(plain)
  expect(describeDecline({ decline: 'stolen_card' })).toEqual(plain)
})

test('the summary that is kept holds neither the number nor the security code', () => {
  const kept = JSON.stringify(authorize({ ...card, number: '4242424242424242' })?.summary)
  expect(kept).not.toContain('42424242')
  expect(kept).not.toContain('123')
})

function luhnRest(number: string): number {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const doubled = Number(digit) * (at % 2 === 0 ? 1 : 2)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return sum % 10
}
