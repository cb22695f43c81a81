/**
 * Listens to the signals of callers, with one listener for each signal: Node.js warns of a leak if a signal has more than
 * ten, and a caller may end many calls with one.
 *
 * @module
 */

const waiting = new WeakMap<object, Set<() => void>>()

/** Calls a function when a signal is aborted. Returns a function that stops it. */
export function onAbort(signal: AbortSignal | undefined, call: () => void): () => void {
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
