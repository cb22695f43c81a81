/** Decides when to retry. @module */

/** Milliseconds of the first wait before jitter. Each request doubles it. */
const base = 250

/** Maximum milliseconds of a wait, unless the service requests a longer one. */
const cap = 5_000

/**
 * Returns the milliseconds to wait before the next request, with full jitter.
 *
 * @param number - Number of the failed request, from 1.
 * @param random - A number from 0 to 1, exclusive.
 * @param retryAfter - Minimum in milliseconds, from the response.
 * @see https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
 */
export function retryDelay(number: number, random: number, retryAfter = 0): number {
  const ceiling = Math.min(cap, base * 2 ** (number - 1))
  return Math.max(retryAfter, Math.floor(random * ceiling))
}

/**
 * Reads `Retry-After`, whole seconds or an HTTP date, as milliseconds from now.
 *
 * @returns `undefined` if the header is absent or malformed.
 * @see RFC 9110, §10.2.3
 */
export function readRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null) return undefined
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1000
  // An HTTP date begins with the day. `Date.parse` also accepts '1.5'.
  const date = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
