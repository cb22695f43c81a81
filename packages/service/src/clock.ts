/**
 * Reads the system clock. Other modules receive a `now` function, so that tests can replace it.
 *
 * @module
 */

/** Returns the current time. */
export function realNow(): Date {
  return new Date()
}
