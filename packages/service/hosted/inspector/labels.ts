/** How the inspector shows statuses, causes, faults, amounts, and times. @module */
import type { PaymentIntent, PaymentIntentStatus } from '@pi-checkout/contract'
import { formatMoney, isCurrency } from '@pi-checkout/contract/money'
import { html, type TemplateResult } from 'lit'
import type { Fault } from '../../shared/sandbox-api.ts'

/** Tone of each status, in the order of a payment. A tone is a pair of colors. */
const tones = {
  requires_payment_method: 'plain',
  requires_action: 'waiting',
  processing: 'moving',
  succeeded: 'good',
  failed: 'bad',
  canceled: 'quiet',
  expired: 'quiet',
} as const satisfies Record<PaymentIntentStatus, string>

/** Every status, in the order of a payment. */
export const allStatuses: readonly string[] = Object.keys(tones)

export function toneOf(status: string): string {
  return Object.entries(tones).find(([name]) => name === status)?.[1] ?? 'plain'
}

/** A status in one or two words. The timeline and the JSON have the API's name. */
export function statusText(status: string): string {
  return status === 'requires_payment_method' ? 'awaiting card' : status.replace('_', ' ')
}

/** A status with its color: a `badge`, or text after a `dot`. */
export function statusLabel(status: string, look: 'badge' | 'dot hint'): TemplateResult {
  return html`<span class=${look} data-tone=${toneOf(status)} data-status=${status}
    title=${status}>${statusText(status)}</span>`
}

/** Formats minor units; an unknown currency stays a number. */
export function money(amount: number, currency: string): string {
  return isCurrency(currency) ? formatMoney(amount, currency, 'en') : `${amount} ${currency}`
}

export function customerName(customer: NonNullable<PaymentIntent['customer']>): TemplateResult {
  return html`<bdi>${customer.name ?? customer.email ?? customer.id}</bdi>`
}

export function causeLabel(cause: string): string {
  return causes.get(cause) ?? cause
}

const causes: ReadonlyMap<string, string> = new Map([
  ['created', 'Created'],
  ['confirmed', 'Confirmed by the buyer'],
  ['challenge_passed', 'Challenge passed'],
  ['challenge_failed', 'Challenge failed'],
  ['challenge_timed_out', 'Challenge expired'],
  ['authorised', 'Authorized by the provider'],
  ['declined', 'Declined by the provider'],
  ['canceled', 'Canceled by the buyer'],
  ['expired', 'Expired'],
  ['revoked', 'Secret revoked'],
])

export const faultLabels: Readonly<Record<Fault['type'], string>> = {
  'drop-after-commit': 'Creates the intent, then drops the connection: a lost response.',
  'drop-before-commit': 'Drops the connection without creating an intent.',
  delay: 'Delays the response.',
  '409': 'Returns that the first request with this key is still running.',
  '500': 'Returns an internal error without creating an intent.',
  '503': 'Returns that the store is unavailable, with Retry-After.',
  '429': 'Returns that there are too many requests, with Retry-After.',
  'truncate-body': 'Creates the intent, then cuts the response in half.',
  'stall-body': 'Creates the intent, then sends half of the response and nothing more.',
  'malformed-json': 'Creates the intent, then returns a response that is not JSON.',
}

/** Returns what a logged fault such as `delay=500` did. */
export function faultText(fault: string): string {
  const [name] = fault.split('=')
  return Object.entries(faultLabels).find(([type]) => type === name)?.[1] ?? ''
}

/** `21 Nov 10:15:03` in local time. */
export function timeText(time: string): string {
  return dateTime.format(new Date(time))
}

/** `10:15:03.042` in local time. */
export function clockText(time: string): string {
  return clock.format(new Date(time))
}

/** `+2 d 3 h`; `''` for less than a second. */
export function spanText(milliseconds: number): string {
  const sign = milliseconds < 0 ? '−' : '+'
  let rest = Math.round(Math.abs(milliseconds) / 1000)
  const parts: string[] = []
  for (const [unit, seconds] of units) {
    const count = Math.floor(rest / seconds)
    rest %= seconds
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.length > 0 ? `${sign}${parts.slice(0, 2).join(' ')}` : ''
}

const units = [
  ['d', 86400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
] as const

const clockParts = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const
const clock = new Intl.DateTimeFormat('en-GB', { ...clockParts, fractionalSecondDigits: 3 })
const dateTime = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', ...clockParts })

/** Returns an idempotency key for a line: of a long one, the beginning and the end. */
export function keyText(key: string): string {
  return key.length > 40 ? `${key.slice(0, 24)}…${key.slice(-12)}` : key
}
