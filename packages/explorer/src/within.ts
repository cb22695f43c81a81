/** Bounds the time of a request. @module */

/**
 * Returns the result of `act`, and aborts its signal when the time is over.
 *
 * The result does not depend on the abort: a search on Node.js 20 once waited without end for a request that had no
 * connection any more, although `AbortSignal.timeout` limited it.
 *
 * @throws {DOMException} `TimeoutError` if the time is over.
 */
export async function within<T>(
  milliseconds: number,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new DOMException('The request takes too long.', 'TimeoutError')
      reject(error)
      controller.abort(error)
    }, milliseconds)
  })
  try {
    return await Promise.race([act(controller.signal), late])
  } finally {
    clearTimeout(timer)
  }
}
