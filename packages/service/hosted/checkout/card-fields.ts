/** Formats and validates what the buyer types. Pure. @module */
import { isTestCard } from '@pi-checkout/contract/sandbox'
import type { CardDetails } from '../../shared/checkout-api.ts'
import type { Texts } from './texts.ts'

export interface CardFields {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
  readonly name: string
}

export type FieldName = keyof CardFields

/** Errors of the fields, as keys of texts. */
export type FieldErrors = { readonly [Name in FieldName]?: keyof Texts | undefined }

/** A card brand, known from the first digits. */
export interface Brand {
  /** Name that the service uses. */
  readonly type: 'visa' | 'mastercard' | 'amex' | 'mir' | 'arca'
  readonly name: string
  readonly prefix: RegExp
  /** Number of digits of a card, and of its security code. */
  readonly size: number
  readonly codeSize: number
  /** Numbers of digits before each space. */
  readonly gaps: readonly number[]
}

type Format = Pick<Brand, 'size' | 'codeSize' | 'gaps'>

/** Also the format of a number whose brand is unknown. */
const common: Format = { size: 16, codeSize: 3, gaps: [4, 8, 12] }

/** The brands that the test bank accepts. */
export const brands: readonly Brand[] = [
  { type: 'visa', name: 'Visa', prefix: /^4/, ...common },
  {
    type: 'mastercard',
    name: 'Mastercard',
    prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/,
    ...common,
  },
  {
    type: 'amex',
    name: 'American Express',
    prefix: /^3[47]/,
    size: 15,
    codeSize: 4,
    gaps: [4, 10],
  },
  { type: 'mir', name: 'Mir', prefix: /^220[0-4]/, ...common },
  { type: 'arca', name: 'ArCa', prefix: /^9051/, ...common },
]

export function brandOf(number: string): Brand | undefined {
  const digits = digitsOf(number)
  return brands.find(({ prefix }) => prefix.test(digits))
}

/** Finds a brand by the name that the service uses. */
export function brandOfType(type: string): Brand | undefined {
  return brands.find((brand) => brand.type === type)
}

/**
 * Groups the digits as they are printed on the card: `4242 4242 4242 4242`, `3782 822463 10005`. Pasted text may contain
 * an expiry date after the number.
 */
export function groupNumber(text: string): string {
  const all = digitsOf(text)
  const { gaps, size } = brandOf(all) ?? common
  const digits = [...all.slice(0, size)]
  return digits.map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')
}

/** Formats a typed, pasted, or autofilled expiry date (`03/2031`) as `MM / YY`. */
export function formatExpiry(text: string, previous = ''): string {
  const deleting = previous.length > text.length
  const [, month, year] = /^\D*(\d{1,2})\D+\d{2}(\d{2})\D*$/.exec(text) ?? []
  if (month && year) return `${month.padStart(2, '0')} / ${year}`
  const iso = /^\D*\d{2}(\d{2})-(\d{2})\D*$/.exec(text)
  if (iso) return `${iso[2]} / ${iso[1]}`
  const separated = /^\D*(\d)\s*[/.-]/.exec(text)
  const digits = separated ? `0${digitsOf(text)}` : padMonth(digitsOf(text))
  // No card of 2020 is valid anymore, so `1220` is the start of `122034`.
  if (/^(0[1-9]|1[0-2])20\d{1,2}/.test(digits)) {
    const year = digits.slice(2, 6)
    return `${digits.slice(0, 2)} / ${year.length === 4 ? year.slice(2) : year}`
  }
  if (digits.length < 2 || (digits.length === 2 && deleting)) return digits
  return `${digits.slice(0, 2)} / ${digits.slice(2, 4)}`
}

/** Returns the digits of a security code, as many as its brand has. */
export function formatCvc(text: string, brand: Brand | undefined): string {
  return digitsOf(text).slice(0, brand?.codeSize ?? 4)
}

/** @param now - The service's time, in milliseconds since 1970. */
export function validate(fields: CardFields, now: number): FieldErrors {
  return {
    number: numberError(fields.number),
    expiry: expiryError(fields.expiry, now),
    cvc: cvcError(fields.cvc, fields.number),
  }
}

export function readCard({ number, expiry, cvc, name }: CardFields): CardDetails {
  const [month = '', year = ''] = expiry.split(' / ')
  // A number is a card in the wrong field: it must not be sent as a name.
  const holderName = /\p{L}/u.test(name) && name.trim()
  return {
    number: digitsOf(number),
    expMonth: Number(month),
    expYear: 2000 + Number(year),
    cvc,
    ...(holderName && { holderName }),
  }
}

export function codeSize(number: string): number {
  return brandOf(number)?.codeSize ?? 3
}

function numberError(number: string): keyof Texts | undefined {
  const digits = digitsOf(number)
  if (isTestCard(digits)) return undefined
  return digits.length < (brandOf(digits) ?? common).size ? 'numberIncomplete' : 'numberNotTest'
}

function expiryError(expiry: string, now: number): keyof Texts | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2]) \/ (\d\d)$/.exec(expiry) ?? []
  if (!month || !year) return 'expiryIncomplete'
  // As in the service: valid to the last moment of its month in every time zone.
  const end = Date.UTC(2000 + Number(year), Number(month), 1) + 12 * 60 * 60 * 1000
  return now < end ? undefined : 'expiryPast'
}

function cvcError(cvc: string, number: string): keyof Texts | undefined {
  return /^\d+$/.test(cvc) && cvc.length === codeSize(number) ? undefined : 'cvcIncomplete'
}

function padMonth(digits: string): string {
  return /^[2-9]/.test(digits) ? `0${digits}` : digits
}

export function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}
