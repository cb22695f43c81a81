import { expect, test } from 'vitest'
import { formatMoney, toMinor } from '../src/money.ts'

test('a decimal text becomes minor units, exactly', () => {
  expect(toMinor('1500', 'AMD')).toBe(150000)
  expect(toMinor('19.99', 'USD')).toBe(1999)
  expect(toMinor('0.5', 'EUR')).toBe(50)
  expect(toMinor('90071992547409.91', 'RUB')).toBe(9007199254740991)
})

for (const [major, rule] of [
  ['19.999', /USD has 2 decimals at most/],
  ['1e3', /digits and at most one point/],
  ['-1', /digits and at most one point/],
  [' 1', /digits and at most one point/],
  ['1,5', /digits and at most one point/],
  ['0', /1 to 9007199254740991/],
  ['90071992547409.92', /1 to 9007199254740991/],
] as const) {
  test(`'${major}' is refused: ${rule.source}`, () => {
    expect(() => toMinor(major, 'USD')).toThrow(rule)
  })
}

test('a float is refused before it loses a cent', () => {
  // @ts-expect-error: a number is no decimal string
  expect(() => toMinor(19.99, 'USD')).toThrow(/not a number/)
})

test('buyers read drams without luma and other money with cents', () => {
  const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')
  expect(plain(formatMoney(150000, 'AMD', 'hy'))).toBe('1 500 ֏')
  expect(plain(formatMoney(150050, 'AMD', 'en'))).toBe('֏1,500.50')
  expect(plain(formatMoney(1999, 'USD', 'en'))).toBe('$19.99')
  expect(plain(formatMoney(199900, 'RUB', 'ru'))).toBe('1 999,00 ₽')
  expect(plain(formatMoney(5, 'EUR', 'not a locale'))).toBe('€0.05')
})

test('the largest amount is shown to the last digit', () => {
  expect(formatMoney(9007199254740991, 'USD', 'en')).toBe('$90,071,992,547,409.91')
})
