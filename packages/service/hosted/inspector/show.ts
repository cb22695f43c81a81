/** Shows values that a request may contain. No function throws, and each text has a bound. @module */
import { formatMoney, isCurrency } from '@pi-checkout/contract/money'

/** Returns a value as one line, with what hides or reorders text made visible. */
export function text(value: unknown, max = 200): string {
  return bounded(typeof value === 'string' ? value : written(value), max).replace(hidden, visible)
}

/** Returns a text with its lines. */
export function lines(value: unknown, max = 20_000): string {
  const whole = typeof value === 'string' ? value : written(value, 2)
  return bounded(whole, max).replace(hidden, (found) =>
    found === '\n' || found === '\t' ? found : visible(found),
  )
}

/** Returns an amount with its currency, or `undefined` for what is no amount of minor units. */
export function money(amount: unknown, currency: unknown): string | undefined {
  const isAmount = typeof amount === 'number' && Number.isSafeInteger(amount) && amount > 0
  return isAmount && isCurrency(currency) ? formatMoney(amount, currency) : undefined
}

/** Returns `21 Nov, 10:15:03 GMT+4` in local time. */
export function time(value: unknown): string {
  const date = new Date(typeof value === 'string' ? value : Number.NaN)
  return Number.isNaN(date.getTime()) ? text(value, 40) : dateTime.format(date)
}

/** Reads JSON. Returns `undefined` for any other text. */
export function readJson(value: unknown): unknown {
  try {
    return typeof value === 'string' ? JSON.parse(value) : undefined
  } catch {
    return undefined
  }
}

function written(value: unknown, indent?: number): string {
  try {
    return JSON.stringify(value, null, indent) ?? String(value)
  } catch {
    return typeof value
  }
}

/** Not between the halves of a character. */
function bounded(whole: string, max: number): string {
  if (whole.length <= max) return whole
  return `${whole.slice(0, max).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Controls, directions, invisible characters, and halves of characters. Emoji and Persian need two joiners. */
const hidden = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu

function visible(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
}

const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
  timeZoneName: 'short',
})
