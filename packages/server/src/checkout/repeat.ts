/** Calls a function at intervals. @module */

/** The longest wait between two calls while they fail. */
const maxInterval = 5 * 60_000

/** Calls a function now and after each interval, later each time while it fails. Returns a function that stops it. */
export function repeat(
  call: (signal: AbortSignal) => Promise<unknown>,
  { interval, onError }: { readonly interval: number; readonly onError: (error: unknown) => void },
): () => Promise<void> {
  const stopping = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let wait = interval
  const run = async (): Promise<void> => {
    try {
      await call(stopping.signal)
      wait = interval
    } catch (error) {
      if (!stopping.signal.aborted) onError(error)
      wait = Math.max(interval, Math.min(wait * 2, maxInterval))
    }
    if (stopping.signal.aborted) return
    timer = setTimeout(() => {
      running = run()
    }, wait)
    // Browsers and some function platforms have numbers instead of timers.
    if (typeof timer === 'object') timer.unref()
  }
  let running = run()
  return async () => {
    stopping.abort()
    clearTimeout(timer)
    await running
  }
}
