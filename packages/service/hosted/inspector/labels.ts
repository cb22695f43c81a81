/** The colors of statuses, and what faults do. @module */
import type { PaymentIntentStatus } from '@pi-checkout/contract'
import { html, type TemplateResult } from 'lit'
import { text } from './show.ts'

/** Tone of each status. A tone is a pair of colors. */
const tones: ReadonlyMap<string, string> = new Map<PaymentIntentStatus, string>([
  ['requires_payment_method', 'plain'],
  ['requires_action', 'waiting'],
  ['processing', 'moving'],
  ['succeeded', 'good'],
  ['failed', 'bad'],
  ['canceled', 'quiet'],
  ['expired', 'quiet'],
])

export function toneOf(status: string): string {
  return tones.get(status) ?? 'plain'
}

/** A status with its color: a `badge`, or text after a `dot`. */
export function statusLabel(status: string, look: 'badge' | 'dot hint'): TemplateResult {
  return html`<span class=${look} data-tone=${toneOf(status)} data-status=${status}>${text(status)}</span>`
}

/** What each fault does. */
export const faultLabels: ReadonlyMap<string, string> = new Map<string, string>([
  ['drop-after-commit', 'Creates the intent, then drops the connection: a lost response.'],
  ['drop-before-commit', 'Drops the connection without creating an intent.'],
  ['delay', 'Delays the response.'],
  ['409', 'Returns that the first request with this key is still running.'],
  ['500', 'Returns an internal error without creating an intent.'],
  ['503', 'Returns that the store is unavailable, with Retry-After.'],
  ['429', 'Returns that there are too many requests, with Retry-After.'],
  ['truncate-body', 'Creates the intent, then cuts the response in half.'],
  ['stall-body', 'Creates the intent, then sends half of the response and nothing more.'],
  ['malformed-json', 'Creates the intent, then returns a response that is not JSON.'],
])

/** Returns what a logged fault such as `delay=500` did. */
export function faultText(fault: string): string {
  const [name = ''] = text(fault).split('=')
  return faultLabels.get(name) ?? ''
}
