/** Lets calls go on at a limited rate, in their order. @module */

/**
 * Returns the function that waits for a turn. All waits end when the signal is aborted.
 *
 * @param rate - `free`: milliseconds of turns that are taken at once after a pause.
 */
export function createTurns(
  { perSecond, free }: { readonly perSecond: number; readonly free: number },
  stopping: AbortSignal,
): () => Promise<void> {
  let next = 0
  const waiting = new Set<() => void>()
  stopping.addEventListener('abort', () => {
    for (const end of waiting) end()
  })
  return async () => {
    const at = performance.now()
    next = Math.max(next + 1000 / perSecond, at)
    if (next <= at + free || stopping.aborted) return
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer)
        waiting.delete(end)
        resolve()
      }
      const timer = setTimeout(end, next - at)
      waiting.add(end)
    })
  }
}
