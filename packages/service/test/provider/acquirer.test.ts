import { expect, test } from 'vitest'
import { authorize } from '../../src/provider/acquirer.ts'

for (const [number, brand] of [
  ['4242424242424242', 'visa'],
  ['5555555555554444', 'mastercard'],
  ['378282246310005', 'amex'],
  ['2200000000000004', 'mir'],
  ['9051000000000009', 'arca'],
] as const) {
  test(`authorizes the ${brand} test card and keeps four of its digits`, () => {
    const card = { expMonth: 12, expYear: 2040 }
    expect(authorize({ ...card, number, cvc: '123', holderName: 'Ani Test' })).toEqual({
      summary: { ...card, brand, last4: number.slice(-4), funding: 'credit' },
      outcome: { result: 'authorised' },
    })
  })
}
