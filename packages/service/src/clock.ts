/**
 * Real time: the only place that reads the system's clock. Everything else gets a `now` function.
 *
 * @module
 */

/** Returns the current time. */
export function realNow(): Date {
  return new Date()
}
