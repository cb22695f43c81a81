/** What a message says about a received value: its type, never the value. Browsers load this file. @module */

/**
 * Names the type of a value that was received.
 *
 * @example received('150000') // 'received a string'
 */
export function received(value: unknown): string {
  if (value == null || Number.isNaN(value)) return `received ${value}`
  const type = Array.isArray(value) ? 'array' : typeof value
  return `received ${/^[ao]/.test(type) ? 'an' : 'a'} ${type}`
}
