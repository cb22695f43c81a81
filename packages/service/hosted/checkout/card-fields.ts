/**
 * What the buyer types, made readable and judged: pure functions over card-validator.
 *
 * @module
 */
import { isTestCard } from '@pi-checkout/contract/sandbox'
import validator from 'card-validator'
import type { CardDetails } from '../../shared/checkout-api.ts'
import type { Texts } from './texts.ts'

/** The four fields as they stand in the form. */
export interface CardFields {
  readonly number: string
  readonly expiry: string
  readonly cvc: string
  readonly name: string
}

export type FieldName = keyof CardFields

/** Why a field is not acceptable: the name of a text. */
export type Faults = Partial<Record<FieldName, keyof Texts>>

/** What is known of a number so far. */
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

/** Tells the brand from the first digits; `undefined` while several fit. */
export function brandOf(number: string): Brand | undefined {
  const { card } = validator.number(digitsOf(number))
  if (!card || digitsOf(number) === '') return undefined
  return brand(card)
}

/** Finds a brand by the name that the service uses. */
export function brandOfType(type: string): Brand | undefined {
  const card = validator.creditCardType.getTypeInfo(type === amex.ours ? amex.theirs : type)
  return card && brand(card)
}

/**
 * Groups the digits as they are printed on the card: `4242 4242 4242 4242`, `3782 822463 10005`.
 *
 * @param previous What stood there before. A text that comes at once, as by paste, may hold an expiry
 * date behind the number: then the first 16 digits, or as many as the brand has, are the number.
 */
export function groupNumber(text: string, previous = ''): string {
  const all = digitsOf(text)
  const card = validator.number(all.slice(0, 16)).card
  const gaps = card?.gaps ?? [4, 8, 12]
  const lengths = card?.lengths ?? [19]
  const atOnce = digitsOf(previous).length < 16 && all.length > 16
  const whole = [16, ...lengths].find((size) => validator.number(all.slice(0, size)).isValid)
  const digits = all.slice(0, (atOnce && whole) || Math.max(...lengths))
  return [...digits].map((digit, at) => (gaps.includes(at) ? ` ${digit}` : digit)).join('')
}

/** Tells whether a number is right as it stands: time to move on. Hardly a card has more digits. */
export function isWholeNumber(number: string): boolean {
  return validator.number(digitsOf(number)).isValid
}

/** Writes an expiry date as `MM / YY`, from typing, from a paste or from autofill (`03/2031`). */
export function formatExpiry(input: string, previous = ''): string {
  const text = toAscii(input)
  const deleting = previous.length > text.length
  const [, month, year] = /^\D*(\d{1,2})\D+\d{2}(\d{2})\D*$/.exec(text) ?? []
  if (month && year) return `${month.padStart(2, '0')} / ${year}`
  const iso = /^\D*\d{2}(\d{2})-(\d{2})\D*$/.exec(text)
  if (iso) return `${iso[2]} / ${iso[1]}`
  const separated = /^\D*(\d)\s*[/.-]/.exec(text)
  const digits = separated ? `0${digitsOf(text)}` : padMonth(digitsOf(text))
  // No card of 2020 is good any more: `1220` goes on as `122034`.
  if (/^(0[1-9]|1[0-2])20\d{1,2}/.test(digits)) {
    const year = digits.slice(2, 6)
    return `${digits.slice(0, 2)} / ${year.length === 4 ? year.slice(2) : year}`
  }
  if (digits.length < 2 || (digits.length === 2 && deleting)) return digits
  return `${digits.slice(0, 2)} / ${digits.slice(2, 4)}`
}

/** Writes full-width, Arabic-Indic and Persian digits as 0 to 9. */
export function toAscii(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
}

/** Keeps the digits of a security code, as many as its brand has. */
export function formatCvc(text: string, brand: Brand | undefined): string {
  return digitsOf(text).slice(0, brand?.codeSize ?? 4)
}

/**
 * Tells what is wrong with each field. Nothing of it was sent anywhere.
 *
 * @param now The service's time, in milliseconds since 1970.
 */
export function faultsOf(fields: CardFields, now: number): Faults {
  const number = numberFault(fields.number)
  const expiry = expiryFault(fields.expiry, now)
  const cvc = cvcFault(fields.cvc, brandOf(fields.number))
  const name = nameFault(fields.name)
  return {
    ...(number && { number }),
    ...(expiry && { expiry }),
    ...(cvc && { cvc }),
    ...(name && { name }),
  }
}

/** Reads the fields into a card; call it only when there are no faults. */
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

/** How many digits a security code has, for its fault's text. */
export function codeSize(number: string): number {
  return brandOf(number)?.codeSize ?? 3
}

// The service's name for it, and the library's.
const amex = { ours: 'amex', theirs: 'american-express' }

function brand(card: {
  readonly type: string
  readonly niceType: string
  readonly code: { readonly size: number }
}): Brand {
  const type = card.type === amex.theirs ? amex.ours : card.type
  return { type, name: card.niceType, codeSize: card.code.size }
}

function numberFault(number: string): keyof Texts | undefined {
  const digits = digitsOf(number)
  const { isValid, isPotentiallyValid, card } = validator.number(digits)
  if (isValid) return isTestCard(digits) ? undefined : 'numberNotTest'
  // A number of full length may have more digits still; that it is wrong is far likelier.
  const fullLength = Math.min(...(card?.lengths ?? [16]))
  return isPotentiallyValid && digits.length < fullLength ? 'numberIncomplete' : 'numberWrong'
}

function expiryFault(expiry: string, now: number): keyof Texts | undefined {
  const [, month, year] = /^(0[1-9]|1[0-2]) \/ (\d\d)$/.exec(expiry) ?? []
  if (!month || !year) return 'expiryIncomplete'
  // As the service judges: good to the last moment of its month, wherever on earth the buyer is.
  const end = Date.UTC(2000 + Number(year), Number(month), 1) + 12 * 60 * 60 * 1000
  return now < end ? undefined : 'expiryPast'
}

function cvcFault(cvc: string, brand: Brand | undefined): keyof Texts | undefined {
  return validator.cvv(cvc, brand?.codeSize ?? 3).isValid ? undefined : 'cvcIncomplete'
}

function nameFault(name: string): keyof Texts | undefined {
  if (name.trim() === '') return undefined
  // A number in the name field is a card in the wrong place: it must not travel as a name.
  return validator.cardholderName(name).isValid ? undefined : 'nameWrong'
}

function padMonth(digits: string): string {
  return /^[2-9]/.test(digits) ? `0${digits}` : digits
}

function digitsOf(text: string): string {
  return toAscii(text).replace(/\D/g, '')
}
