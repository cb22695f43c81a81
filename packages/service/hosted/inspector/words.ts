/**
 * The inspector's words for what the service names in code: statuses, causes, faults; and its times.
 *
 * @module
 */
import type { PaymentIntentStatus } from '@pi-checkout/contract'
import type { Fault } from '../../shared/sandbox-api.ts'

export type Tone = 'plain' | 'waiting' | 'moving' | 'good' | 'bad' | 'quiet'

/** A status in words, with the colour of its badge. */
export function statusWords(status: string): { readonly text: string; readonly tone: Tone } {
  return statuses.get(status) ?? { text: status, tone: 'plain' }
}

/** Why a status changed. */
export function causeWords(cause: string): string {
  return causes.get(cause) ?? cause
}

/** What each fault does. */
export const faultWords: Readonly<Record<Fault['type'], string>> = {
  'drop-after-commit': 'The intent is made, then the connection drops: a lost answer.',
  'fail-before-commit': 'The connection drops and nothing is made.',
  delay: 'The answer comes late.',
  'hold-key': 'The first request with a key takes long: its duplicates wait, then get 409.',
  '500': 'An internal error; nothing is made.',
  '503': 'The store is not available; with Retry-After.',
  '429': 'Too many requests; with Retry-After.',
  'truncate-body': 'The intent is made and the answer ends in its middle.',
  'malformed-json': 'The intent is made and the answer is no JSON.',
}

/** `21 Nov 10:15:03` in the reader's zone. */
export function timeText(time: string): string {
  return dateTime.format(new Date(time))
}

/** `10:15:03` in the reader's zone. */
export function clockText(time: string): string {
  return clock.format(new Date(time))
}

/** `+2 d 3 h`; `''` for none. */
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

const statuses: ReadonlyMap<string, { readonly text: string; readonly tone: Tone }> = new Map(
  Object.entries({
    requires_payment_method: { text: 'Waits for a card', tone: 'plain' },
    requires_action: { text: 'At the bank', tone: 'waiting' },
    processing: { text: 'Processing', tone: 'moving' },
    succeeded: { text: 'Succeeded', tone: 'good' },
    failed: { text: 'Failed', tone: 'bad' },
    canceled: { text: 'Canceled', tone: 'quiet' },
    expired: { text: 'Expired', tone: 'quiet' },
  } satisfies Record<PaymentIntentStatus, { text: string; tone: Tone }>),
)

/** Every status, in the order of a payment. */
export const allStatuses: readonly string[] = [...statuses.keys()]

const causes: ReadonlyMap<string, string> = new Map([
  ['confirmed', 'The buyer pressed Pay'],
  ['challenge_passed', 'The bank confirmed the buyer'],
  ['challenge_failed', 'The bank did not confirm the buyer'],
  ['challenge_timed_out', 'The bank’s question ran out of time'],
  ['authorised', 'The provider took the payment'],
  ['declined', 'The provider declined'],
  ['canceled', 'The buyer canceled'],
  ['expired', 'The deadline passed'],
])

const dateTime = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
