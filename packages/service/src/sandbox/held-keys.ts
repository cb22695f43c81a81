/**
 * Idempotency keys whose first request is held up by a fault, so that a merchant can see what a
 * concurrent duplicate gets: a wait of two seconds, then 409.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a duplicate waits for the first request, in milliseconds. */
const patience = 2000

/** The keys that are held now, in this instance. */
export interface HeldKeys {
  /** Holds a key, runs the work, then lets the key go. */
  hold<Result>(key: string, ms: number, work: () => Promise<Result>): Promise<Result>
  /** Waits for a held key; `false` when it is still held after two seconds. */
  free(key: string): Promise<boolean>
}

/** Makes an empty set of held keys. */
export function heldKeys(): HeldKeys {
  const held = new Map<string, Promise<unknown>>()
  return {
    hold: async (key, ms, work) => {
      const done = sleep(ms).then(work)
      held.set(
        key,
        done.catch(() => {}),
      )
      return await done.finally(() => held.delete(key))
    },
    free: async (key) => {
      const holder = held.get(key)
      if (!holder) return true
      const timer = new AbortController()
      const late = sleep(patience, 'late', { signal: timer.signal }).catch(() => {})
      const first = await Promise.race([holder, late])
      timer.abort()
      return first !== 'late'
    },
  }
}
