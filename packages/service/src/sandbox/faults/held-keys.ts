/** Keys that the fault `hold-key` holds, so that concurrent duplicates get 409. @module */
import { within } from '../../within.ts'

/** Time in milliseconds for which a duplicate waits for the first request. */
const timeout = 2000
/** Maximum number of waiting duplicates of a key. Others are rejected immediately. */
const maxWaiting = 50

export function createHeldKeys() {
  const held = new Map<string, { readonly done: Promise<unknown>; waiting: number }>()
  return {
    hold: async <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
      const done = work()
      // If two requests hold the same key, duplicates wait for both.
      const holder = { done: Promise.allSettled([done, held.get(key)?.done]), waiting: 0 }
      held.set(key, holder)
      void holder.done.then(() => held.get(key) === holder && held.delete(key))
      return await done
    },
    /** Waits for a held key. Returns `false` if it is still held after two seconds, or too many wait. */
    waitUntilFree: async (key: string): Promise<boolean> => {
      const holder = held.get(key)
      if (!holder) return true
      if (holder.waiting >= maxWaiting) return false
      holder.waiting++
      const isFree = await within(holder.done, timeout)
      holder.waiting--
      return isFree
    },
  }
}
