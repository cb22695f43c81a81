/** Order identifiers that fit: a UUID has 36 characters, the service accepts 32. @module */

/** Crockford's base 32: without I, L, O, and U, which are mistaken for digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a new order identifier of 26 characters that sorts by time, in the format of a ULID.
 *
 * Create it once for each order and store it: a new identifier for each call would create a new intent.
 *
 * @example
 * const orderId = newOrderId() // '01KB8Q0TSX5R6N4V2M9EJH7W3C'
 * @see https://github.com/ulid/spec
 */
export function newOrderId(): string {
  let time = Date.now()
  let prefix = ''
  for (let index = 0; index < 10; index++) {
    prefix = alphabet.charAt(time % 32) + prefix
    time = Math.floor(time / 32)
  }
  const random = crypto.getRandomValues(new Uint8Array(16))
  return prefix + Array.from(random, (byte) => alphabet.charAt(byte % 32)).join('')
}
