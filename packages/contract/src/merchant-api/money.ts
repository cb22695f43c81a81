/** Amounts in minor units, and the four currencies. Browsers load this file. @module */
import { received } from './received.ts'

/**
 * The supported currencies (ISO 4217).
 *
 * @see Payment Intents specification, §1 and §8
 */
export const currencies = ['AMD', 'USD', 'EUR', 'RUB'] as const

/** A supported currency, in upper case. */
export type Currency = (typeof currencies)[number]

/**
 * Digits of the minor unit of each currency. ICU and other sources disagree on the dram.
 *
 * @see Payment Intents specification, §4.1
 */
export const minorUnitDigits: Readonly<Record<Currency, number>> = {
  AMD: 2,
  USD: 2,
  EUR: 2,
  RUB: 2,
}

/**
 * Returns whether a value is a supported currency in upper case.
 *
 * @param value - Any value.
 * @example
 * isCurrency('AMD') // true
 */
export function isCurrency(value: unknown): value is Currency {
  return (currencies as readonly unknown[]).includes(value)
}

/**
 * Converts a decimal string to minor units.
 *
 * @param major - Digits and at most one point. Numbers are rejected: `19.99 * 100` is 1998.9999999999998.
 * @param currency - A supported currency, in upper case.
 * @returns An integer from 1 to 2^53 - 1.
 * @throws {TypeError} If `major` is not such a string, has too many decimals, or is out of range.
 * @example
 * toMinor('1500', 'AMD') // 150000
 */
export function toMinor(major: string, currency: Currency): number {
  if (!isCurrency(currency)) {
    throw new TypeError(`currency: must be ${currencies.join(', ')}, in upper case.`)
  }
  const digits = minorUnitDigits[currency]
  const [, whole, fraction = ''] =
    (typeof major === 'string' && /^(\d{1,16})(?:\.(\d+))?$/.exec(major)) || []
  if (whole === undefined) {
    const type = typeof major === 'string' ? '' : `; ${received(major)}`
    throw new TypeError(`major: must be a decimal string such as "1500" or "19.99"${type}.`)
  }
  if (fraction.length > digits) {
    throw new TypeError(`major: must have at most ${digits} decimals. Round it first.`)
  }
  const minor = Number(whole + fraction.padEnd(digits, '0'))
  if (minor < 1 || !Number.isSafeInteger(minor)) {
    throw new TypeError(`major: must be 1 to 9007199254740991 minor units.`)
  }
  return minor
}

/**
 * Formats an amount for buyers. The result is exact for every safe integer.
 *
 * @param amount - Minor units.
 * @param currency - A supported currency.
 * @param locale - BCP 47 tag. English replaces a tag that `Intl` does not support.
 * @default locale 'en'
 * @throws {TypeError} If `amount` is not a safe integer.
 * @example
 * formatMoney(150000, 'AMD', 'hy') // '1 500 ֏'
 */
export function formatMoney(amount: number, currency: Currency, locale = 'en'): string {
  const parts = moneyFormat(currency, locale).formatToParts(majorText(amount, currency))
  return parts.map((part, index) => partText(part, parts[index - 1], currency)).join('')
}

// Browsers have fewer symbols than Node.js: Chromium writes `AMD 1,500`.
const symbols: Readonly<Record<Currency, string>> = { AMD: '֏', USD: '$', EUR: '€', RUB: '₽' }

function partText(
  part: Intl.NumberFormatPart,
  previous: Intl.NumberFormatPart | undefined,
  currency: Currency,
): string {
  if (part.type === 'currency') return symbols[currency]
  // A code is followed by a space, which a symbol does not need.
  return part.type === 'literal' && previous?.value === currency ? '' : part.value
}

const formats = new Map<string, Intl.NumberFormat>()
const maxFormats = 100

function moneyFormat(currency: Currency, locale: string): Intl.NumberFormat {
  const name = `${currency} ${locale}`
  const cached = formats.get(name)
  if (cached) return cached
  const format = new Intl.NumberFormat(supportedLocale(locale), {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: minorUnitDigits[currency],
    // Some Armenian locale data does not group four digits. The shop and the hosted page must agree.
    useGrouping: 'always',
    // Amounts of whole drams are written without luma.
    trailingZeroDisplay: currency === 'AMD' ? 'stripIfInteger' : 'auto',
  })
  // Clients choose locales, and there are more tags than memory.
  if (formats.size >= maxFormats) formats.clear()
  formats.set(name, format)
  return format
}

function supportedLocale(locale: string): string {
  // Chromium has no Armenian data. Russian formats amounts the same way, English does not.
  const candidates = /^hy\b/i.test(locale) ? [locale, 'ru'] : [locale]
  try {
    return Intl.NumberFormat.supportedLocalesOf(candidates)[0] ?? 'en'
  } catch {
    return 'en' // A malformed tag throws.
  }
}

function majorText(amount: number, currency: Currency): `${number}` {
  if (!Number.isSafeInteger(amount)) {
    throw new TypeError('amount: must be a safe integer of minor units, such as 150000.')
  }
  const digits = minorUnitDigits[currency]
  const text = String(Math.abs(amount)).padStart(digits + 1, '0')
  // Digits, a point, and digits are a number, which the type cannot show.
  return `${amount < 0 ? '-' : ''}${text.slice(0, -digits)}.${text.slice(-digits)}` as `${number}`
}
