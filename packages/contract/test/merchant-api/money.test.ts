import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { type Currency, formatMoney, toMinor } from '../../src/merchant-api/money.ts'

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ')

test('converts a decimal string to minor units exactly', () => {
  expect(toMinor('1500', 'AMD')).toBe(150000)
  expect(toMinor('19.99', 'USD')).toBe(1999)
  expect(toMinor('0.5', 'EUR')).toBe(50)
  expect(toMinor('0.01', 'EUR')).toBe(1)
  expect(toMinor('90071992547409.91', 'RUB')).toBe(9007199254740991)
})

const decimal = 'major: must be a decimal string such as "1500" or "19.99"'

test.each<readonly [unknown, string]>([
  ['19.999', 'major: must have at most 2 decimals. Round it first.'],
  ...['1e3', '-1', ' 1', '1,5', ''].map((major) => [major, `${decimal}.`] as const),
  // A number loses cents.
  [19.99, `${decimal}; received a number.`],
  [undefined, `${decimal}; received undefined.`],
  [{}, `${decimal}; received an object.`],
  ['0', 'major: must be 1 to 9007199254740991 minor units.'],
  ['90071992547409.92', 'major: must be 1 to 9007199254740991 minor units.'],
])('rejects %j without repeating it', (major, message) => {
  expect(() => toMinor(major as string, 'USD')).toThrow(new TypeError(message))
})

test('rejects a currency in lower case, and an amount that is not a safe integer', () => {
  const amd = 'amd' as Currency
  expect(() => toMinor('1', amd)).toThrow('currency: must be AMD, USD, EUR, RUB, in upper case.')
  for (const amount of [0.5, 2 ** 53]) {
    expect(() => formatMoney(amount, 'USD')).toThrow(/^amount: must be a safe integer/)
  }
})

test('formats drams without luma and other currencies with cents', () => {
  expect(plain(formatMoney(150000, 'AMD', 'hy'))).toBe('1 500 ֏')
  expect(plain(formatMoney(150050, 'AMD', 'en'))).toBe('֏1,500.50')
  expect(plain(formatMoney(1999, 'USD', 'en'))).toBe('$19.99')
  expect(plain(formatMoney(199900, 'RUB', 'ru'))).toBe('1 999,00 ₽')
  expect(plain(formatMoney(-150000, 'AMD'))).toBe('-֏1,500')
  for (const locale of ['not a locale', 'tlh', 'thy']) {
    expect(plain(formatMoney(5, 'EUR', locale))).toBe('€0.05')
  }
})

test('writes the symbol where the locale data has another one, or the code', () => {
  expect(plain(formatMoney(150050, 'RUB', 'be'))).toBe('1 500,50 ₽')
  expect(formatMoney(150050, 'EUR', 'de-CH')).toMatch(/^€1['’]500\.50$/)
})

test('formats the largest amount to the last digit', () => {
  expect(formatMoney(9007199254740991, 'USD', 'en')).toBe('$90,071,992,547,409.91')
})

test('keeps no memory for the locales that clients choose', async () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const created: WeakRef<Intl.NumberFormat>[] = []
  const { NumberFormat } = Intl
  onTestFinished(() => void Object.assign(Intl, { NumberFormat }))
  class ObservedFormat extends NumberFormat {
    constructor(...args: ConstructorParameters<typeof NumberFormat>) {
      super(...args)
      created.push(new WeakRef(this))
    }
  }
  Object.assign(Intl, { NumberFormat: ObservedFormat })
  for (let at = 0; at < 5000; at++) formatMoney(1, 'AMD', `en-x-${at.toString(36)}a`)
  // A reference that was just created lives until the end of this task.
  await new Promise(setImmediate)
  collect()
  expect(created.length).toBeGreaterThan(4000)
  expect(created.filter((format) => format.deref()).length).toBeLessThan(1000)
})
