/** Ends the wait for a function of the shop. @module */

/** A function of the shop did not return in time. It may still run. */
export class Late extends Error {}

/** @throws {Late} If the task takes longer than `ms` milliseconds. */
export async function inTime<T>(
  task: Promise<T>,
  { ms, event }: { readonly ms: number; readonly event: string },
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const fix = 'Set a timeout for the statements of your database.'
    timer = setTimeout(() => reject(new Late(`${event} within ${ms / 1000} seconds. ${fix}`)), ms)
  })
  return Promise.race([task, late]).finally(() => clearTimeout(timer))
}
