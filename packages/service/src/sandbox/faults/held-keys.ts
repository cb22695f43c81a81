/**
 * Idempotency keys whose first request a fault holds, so that a merchant can see the response to a
 * concurrent duplicate: a wait of two seconds, then 409.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a duplicate waits for the first request, in milliseconds. */
const timeout = 2000
/** How many duplicates of one key may wait; others are rejected immediately. */
const maxWaiting = 50

/** Creates an empty set of the keys that are held in this instance. */
export function createHeldKeys() {
  const held = new Map<string, { readonly done: Promise<unknown>; waiting: number }>()
  return {
    /** Holds a key, runs the work, then releases the key. */
    hold: async <Result>(key: string, ms: number, work: () => Promise<Result>): Promise<Result> => {
      const done = sleep(ms).then(work)
      // Of two that hold one key, others wait for both.
      const holder = { done: Promise.allSettled([done, held.get(key)?.done]), waiting: 0 }
      held.set(key, holder)
      void holder.done.then(() => held.get(key) === holder && held.delete(key))
      return await done
    },
    /** Waits for a held key; `false` if it is still held after two seconds, or too many wait. */
    isFree: async (key: string): Promise<boolean> => {
      const holder = held.get(key)
      if (!holder) return true
      if (holder.waiting >= maxWaiting) return false
      holder.waiting++
      const timer = new AbortController()
      const late = sleep(timeout, 'late', { signal: timer.signal }).catch(() => {})
      const first = await Promise.race([holder.done, late])
      timer.abort()
      holder.waiting--
      return first !== 'late'
    },
  }
}
