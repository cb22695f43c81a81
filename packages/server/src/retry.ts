/**
 * Whether to try again, and after how long. Pure: clock and chance are arguments.
 *
 * @module
 */

/** Milliseconds of the first wait, before jitter; it doubles with every attempt. */
const base = 250

/** Milliseconds that no wait of our own exceeds. */
const cap = 5_000

/** Tells whether an answer with this status may be another one later. */
export function isTransient(status: number, code: string | undefined): boolean {
  // A conflict is transient only while the first request still runs: another one never heals.
  if (status === 409) return code === 'idempotency_key_in_use'
  return status === 408 || status === 425 || status === 429 || status >= 500
}

/**
 * Returns the milliseconds to wait before the next attempt.
 *
 * Full jitter, so that clients which failed together do not come back together.
 *
 * @param attempt The attempt that just failed, from 1.
 * @param random A number from 0 to 1, exclusive.
 * @param retryAfter What the service asked for, in milliseconds: at least that long.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelay(attempt: number, random: number, retryAfter = 0): number {
  const ceiling = Math.min(cap, base * 2 ** (attempt - 1))
  return Math.max(retryAfter, Math.floor(random * ceiling))
}

/**
 * Reads `Retry-After`, which is either whole seconds or an HTTP date, as milliseconds from now.
 *
 * @returns `undefined` when there is none or it is neither.
 * @see RFC 9110, §10.2.3
 */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // A date always names its day; `Date.parse` alone would take '1.5' for a month.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
