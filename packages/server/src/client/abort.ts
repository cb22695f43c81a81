/** Ends what waits for a time or a signal. @module */

/**
 * Resolves with a result, or with what comes before it: the end of a time, or the abort of a signal. It leaves neither a timer
 * nor a listener.
 *
 * @param result - Does not reject.
 */
export function race<T>(
  result: Promise<T>,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<T | 'timed_out' | 'aborted'> {
  return new Promise((resolve) => {
    const end = (value: T | 'timed_out' | 'aborted'): void => {
      clearTimeout(timer)
      ignoreAbort()
      resolve(value)
    }
    const timer = setTimeout(() => end('timed_out'), ms)
    const ignoreAbort = onAbort(signal, () => end('aborted'))
    void result.then(end)
  })
}

// One listener for each signal: Node.js warns of a leak if a signal has more than ten, and one may end many calls.
const waiting = new WeakMap<object, Set<() => void>>()

/** Calls a function when a signal is aborted. Returns a function that stops it. */
function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
  if (!signal) return () => {}
  const calls = waiting.get(signal) ?? new Set()
  waiting.set(signal, calls.add(call))
  // The same function again is no second listener.
  signal.addEventListener('abort', callAll)
  return () => {
    calls.delete(call)
    if (calls.size === 0) signal.removeEventListener('abort', callAll)
  }
}

function callAll(this: AbortSignal): void {
  for (const call of waiting.get(this) ?? []) call()
}
