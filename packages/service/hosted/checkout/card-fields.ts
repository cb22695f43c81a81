/** Formats and validates what the buyer types: pure functions over card-validator. @module */
import { isTestCard } from '@pi-checkout/contract/sandbox'
import validator from 'card-validator'
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
export type FieldErrors = Readonly<Record<FieldName, keyof Texts | undefined>>

/** A card brand, known from the first digits. */
export interface Brand {
  readonly type: string
  readonly name: string
  readonly codeSize: number
}

// The Armenian scheme is not in the library's list; the service's test card 9051 belongs to it.
validator.creditCardType.addCard({
  niceType: 'ArCa',
  type: 'arca',
  patterns: [9051],
  gaps: [4, 8, 12],
  lengths: [16],
  code: { name: 'CVC', size: 3 },
})

/** Returns the brand of the first digits; `undefined` while several match. */
export function brandOf(number: string): Brand | undefined {
  const { card } = validator.number(digitsOf(number))
  if (!card || digitsOf(number) === '') return undefined
  return brand(card)
}

/** Finds a brand by the name that the service uses. */
export function brandOfType(type: string): Brand | undefined {
  const card = validator.creditCardType.getTypeInfo(type === amex.service ? amex.library : type)
  return card && brand(card)
}

/**
 * Groups the digits as they are printed on the card: `4242 4242 4242 4242`, `3782 822463 10005`.
 *
 * @param previous - The value before the change. Pasted text may contain an expiry date after the number:
 * then the first 16 digits, or as many as the brand has, are the number.
 */
export function groupNumber(text: string, previous = ''): string {
  const all = digitsOf(text)
  const card = validator.number(all.slice(0, 16)).card
  const gaps = card?.gaps ?? [4, 8, 12]
  const lengths = card?.lengths ?? [19]
  const isPasted = digitsOf(previous).length < 16 && all.length > 16
  const whole = [16, ...lengths].find((size) => validator.number(all.slice(0, size)).isValid)
  const digits = all.slice(0, (isPasted && whole) || Math.max(...lengths))
  return [...digits].map((digit, index) => (gaps.includes(index) ? ` ${digit}` : digit)).join('')
}

/** Returns whether a number is complete, so that the focus can move on. Few cards have more digits. */
export function isWholeNumber(number: string): boolean {
  return validator.number(digitsOf(number)).isValid
}

/** Formats a typed, pasted, or autofilled expiry date (`03/2031`) as `MM / YY`. */
export function formatExpiry(input: string, previous = ''): string {
  const text = toAscii(input)
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

/** Replaces full-width, Arabic-Indic, and Persian digits with 0 to 9. */
export function toAscii(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
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
    name: nameError(fields.name),
  }
}

export function readCard({ number, expiry, cvc, name }: CardFields): CardDetails {
  const [month = '', year = ''] = expiry.split(' / ')
  const holderName = name.trim()
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

const amex = { service: 'amex', library: 'american-express' }

function brand(card: ReturnType<typeof validator.creditCardType.getTypeInfo>): Brand {
  const type = card.type === amex.library ? amex.service : card.type
  return { type, name: card.niceType, codeSize: card.code.size }
}

function numberError(number: string): keyof Texts | undefined {
  const digits = digitsOf(number)
  const { isValid, isPotentiallyValid, card } = validator.number(digits)
  if (isValid) return isTestCard(digits) ? undefined : 'numberNotTest'
  // A number of full length may have more digits, but it is far likelier that it is wrong.
  const fullLength = Math.min(...(card?.lengths ?? [16]))
  return isPotentiallyValid && digits.length < fullLength ? 'numberIncomplete' : 'numberWrong'
}

function expiryError(expiry: string, now: number): keyof Texts | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2]) \/ (\d\d)$/.exec(expiry) ?? []
  if (!month || !year) return 'expiryIncomplete'
  // As in the service: valid to the last moment of its month in every time zone.
  const end = Date.UTC(2000 + Number(year), Number(month), 1) + 12 * 60 * 60 * 1000
  return now < end ? undefined : 'expiryPast'
}

function cvcError(cvc: string, number: string): keyof Texts | undefined {
  return validator.cvv(cvc, codeSize(number)).isValid ? undefined : 'cvcIncomplete'
}

function nameError(name: string): keyof Texts | undefined {
  if (name.trim() === '') return undefined
  // A number in the name field is a card in the wrong field: it must not be sent as a name.
  return validator.cardholderName(name).isValid ? undefined : 'nameWrong'
}

function padMonth(digits: string): string {
  return /^[2-9]/.test(digits) ? `0${digits}` : digits
}

export function digitsOf(text: string): string {
  return toAscii(text).replace(/\D/g, '')
}
