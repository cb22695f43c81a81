/**
 * Idempotency keys whose first request is held up by a fault, so that a merchant can see what a
 * concurrent duplicate gets: a wait of two seconds, then 409.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a duplicate waits for the first request, in milliseconds. */
const patience = 2000
/** So many duplicates of one key may wait; the others are refused at once. */
const maxWaiting = 50

/** The keys that are held now, in this instance. */
export interface HeldKeys {
  /** Holds a key, runs the work, then lets the key go. */
  hold<Result>(key: string, ms: number, work: () => Promise<Result>): Promise<Result>
  /** Waits for a held key; `false` when it is still held after two seconds, or too many wait. */
  free(key: string): Promise<boolean>
}

/** Makes an empty set of held keys. */
export function heldKeys(): HeldKeys {
  const held = new Map<string, { readonly done: Promise<unknown>; waiting: number }>()
  return {
    hold: async (key, ms, work) => {
      const done = sleep(ms).then(work)
      // Of two that hold one key, others wait for both.
      const holder = { done: Promise.allSettled([done, held.get(key)?.done]), waiting: 0 }
      held.set(key, holder)
      void holder.done.then(() => held.get(key) === holder && held.delete(key))
      return await done
    },
    free: async (key) => {
      const holder = held.get(key)
      if (!holder) return true
      if (holder.waiting >= maxWaiting) return false
      holder.waiting++
      const timer = new AbortController()
      const late = sleep(patience, 'late', { signal: timer.signal }).catch(() => {})
      const first = await Promise.race([holder.done, late])
      timer.abort()
      holder.waiting--
      return first !== 'late'
    },
  }
}
