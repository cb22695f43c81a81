/** Bounds the time of a wait. @module */
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for work. Returns `false` if it has not ended after the given milliseconds. */
export async function within(work: Promise<unknown>, milliseconds: number): Promise<boolean> {
  const ended = new AbortController()
  const timedOut = sleep(milliseconds, false, { signal: ended.signal }).catch(() => false)
  return await Promise.race([work.then(() => true), timedOut]).finally(() => ended.abort())
}
