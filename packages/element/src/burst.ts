/** Detects too many events in a short time. @module */

/**
 * Returns a function to call at each event. It returns whether more than `limit` events ever came within
 * `window` milliseconds.
 */
export function burstOf(limit: number, window: number): () => boolean {
  const times: number[] = []
  let exceeded = false
  return () => {
    const now = performance.now()
    times.push(now)
    exceeded ||= now - (times.at(-limit - 1) ?? -Infinity) < window
    return exceeded
  }
}
