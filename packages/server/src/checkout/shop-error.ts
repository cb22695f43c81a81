/** Failures of the shop's own functions. @module */

/** A hook or the store of the shop failed, or did not return in time. The same call may succeed later. */
export class ShopError extends Error {
  override readonly name: string = 'ShopError'
  readonly code = 'shop_failed'
  readonly retryable = true
}

/** Runs a function of the shop, and names it if it fails. */
export async function callShop<T>(event: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ShopError(`${event}: ${reason}`, { cause })
  }
}

/** A function of the shop did not return in time. It may still run. */
export class Late extends ShopError {}

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
