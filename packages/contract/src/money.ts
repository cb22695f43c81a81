/**
 * Money is an integer of minor units and one of four currencies. No zod here: browsers read it too.
 *
 * @module
 */

/** The currencies that the service takes, ISO 4217. See the specification, §1 and §8. */
export const currencies = ['AMD', 'USD', 'EUR', 'RUB'] as const

export type Currency = (typeof currencies)[number]

/**
 * Digits of the minor unit, per currency: 100 minor units make one whole unit in all four.
 *
 * A table, because ICU and other sources disagree on the dram.
 *
 * @see Payment Intents specification, §4.1
 */
export const minorUnitDigits: Readonly<Record<Currency, number>> = {
  AMD: 2,
  USD: 2,
  EUR: 2,
  RUB: 2,
}

/** Tells whether a text is one of the four codes, in upper case exactly. */
export function isCurrency(value: unknown): value is Currency {
  return (currencies as readonly unknown[]).includes(value)
}

/**
 * Returns the amount in minor units: `toMinor('1500', 'AMD')` is 150000.
 *
 * @param major A decimal string such as `'1500'` or `'19.99'`: digits and at most one point. Numbers
 * are refused, because `19.99 * 100` is 1998.9999999999998.
 * @param currency One of the four codes, in upper case.
 * @returns An integer from 1 to 2^53 - 1.
 * @throws {TypeError} `major` is not such a string, has more decimals than the currency, or is out of
 * range. Fix the value; nothing was sent.
 */
export function toMinor(major: string, currency: Currency): number {
  if (!isCurrency(currency)) {
    throw new TypeError(`currency: must be one of ${currencies.join(', ')}, in upper case`)
  }
  if (typeof major !== 'string') {
    throw new TypeError(
      "major: must be a decimal string such as '19.99', not a number: floats lose cents",
    )
  }
  const digits = minorUnitDigits[currency]
  const [, whole, fraction = ''] = /^(\d{1,16})(?:\.(\d+))?$/.exec(major) ?? []
  if (whole === undefined) {
    throw new TypeError("major: must hold digits and at most one point, such as '1500' or '19.99'")
  }
  if (fraction.length > digits) {
    throw new TypeError(`major: ${currency} has ${digits} decimals at most; round it first`)
  }
  const minor = Number(whole + fraction.padEnd(digits, '0'))
  if (minor < 1 || !Number.isSafeInteger(minor)) {
    throw new TypeError('major: must come to 1 to 9007199254740991 minor units')
  }
  return minor
}

/**
 * Returns the amount as a buyer reads it: `formatMoney(150000, 'AMD', 'hy')` is `1 500 ֏`.
 *
 * Exact for every safe integer: the decimal text is built first and `Intl` only dresses it.
 *
 * @param amount Minor units, an integer.
 * @param currency One of the four codes.
 * @param locale BCP 47; one that `Intl` does not know falls back to English.
 */
export function formatMoney(amount: number, currency: Currency, locale = 'en'): string {
  const format = moneyFormat(currency, locale)
  const parts = format.formatToParts(majorText(amount, minorUnitDigits[currency]))
  return parts.map((part, at) => symbolOf(part, parts[at - 1], currency)).join('')
}

// Browsers know fewer symbols than Node: Chromium alone would write `AMD 1,500`.
const symbols: Readonly<Record<Currency, string>> = { AMD: '֏', USD: '$', EUR: '€', RUB: '₽' }

function symbolOf(
  part: Intl.NumberFormatPart,
  before: Intl.NumberFormatPart | undefined,
  currency: Currency,
): string {
  if (part.type === 'currency') return symbols[currency]
  // The space that stood between a code and the number; a symbol in front needs none.
  return part.type === 'literal' && before?.value === currency ? '' : part.value
}

const formats = new Map<string, Intl.NumberFormat>()

function moneyFormat(currency: Currency, locale: string): Intl.NumberFormat {
  const name = `${currency} ${locale}`
  const known = formats.get(name)
  if (known) return known
  const format = new Intl.NumberFormat(supportedLocale(locale), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minorUnitDigits[currency],
    // Armenian leaves four digits together where a machine knows it: the shop and the frame must agree.
    useGrouping: 'always',
    // Nobody writes luma: a whole amount of drams has no decimals.
    trailingZeroDisplay: currency === 'AMD' ? 'stripIfInteger' : 'auto',
  })
  formats.set(name, format)
  return format
}

function supportedLocale(locale: string): string {
  // Chromium has no Armenian data; Russian writes money alike, English does not.
  const candidates = /^hy\b/i.test(locale) ? [locale, 'ru'] : [locale]
  try {
    return Intl.NumberFormat.supportedLocalesOf(candidates)[0] ?? 'en'
  } catch {
    return 'en' // A malformed tag throws; a buyer's page must not.
  }
}

function majorText(amount: number, digits: number): `${number}` {
  if (!Number.isSafeInteger(amount)) {
    throw new TypeError('amount: must be a safe integer of minor units, such as 150000')
  }
  const sign = amount < 0 ? '-' : ''
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  // Digits, a point and digits are a number by construction; the type cannot know it.
  return `${sign}${text.slice(0, -digits)}.${text.slice(-digits)}` as `${number}`
}
