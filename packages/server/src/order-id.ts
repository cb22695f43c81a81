/**
 * Order identifiers that fit: a UUID has 36 characters, the service takes 32.
 *
 * @module
 */

/** No I, L, O or U: nobody reads them for 1 or 0 on the telephone. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * Returns a new order identifier of 26 characters that sorts by time: ULID's form.
 *
 * Make it once per order and store it with the order; a new one per call would make a new intent.
 */
export function newOrderId(): string {
  let time = Date.now()
  let front = ''
  for (let at = 0; at < 10; at++) {
    front = alphabet.charAt(time % 32) + front
    time = Math.floor(time / 32)
  }
  const chance = crypto.getRandomValues(new Uint8Array(16))
  return front + Array.from(chance, (byte) => alphabet.charAt(byte % 32)).join('')
}
