/**
 * Sends requests again: after silence, after a failure on the way, and at once when the network may be back.
 *
 * @module
 */
import { isRefusal } from './checkout-api.ts'

/** The page's requests that are being tried. */
export class Retries {
  readonly #running = new Set<AbortController>()

  /** Ends every running try and pause, and tries again: the network may be back. */
  resume(): void {
    for (const current of this.#running) current.abort()
  }

  /**
   * Sends a request up to four times, and more often only if `resume` ends a try.
   *
   * @param request Stops when its signal aborts. What it sends again has to be the same request.
   * @throws {ApiProblem} The service refused the request, which is not sent again.
   * @throws The last failure, if no try got a response, or if the response is no longer needed.
   */
  async send<T>(
    request: (signal: AbortSignal) => Promise<T>,
    {
      onFailure = () => {},
      isOver = () => false,
    }: {
      /** Called after each failed try. */
      readonly onFailure?: () => void
      /** Tells that the answer is no longer needed. */
      readonly isOver?: () => boolean
    } = {},
  ): Promise<T> {
    for (let failures = 0; ; ) {
      const current = new AbortController()
      const { signal } = current
      this.#running.add(current)
      try {
        return await request(signal)
      } catch (error) {
        if (isRefusal(error) || isOver()) throw error
        if (signal.aborted) continue
        onFailure()
        const pause = pauses[failures++]
        if (pause === undefined) throw error
        await sleep(scattered(pause), signal)
        if (isOver()) throw error
      } finally {
        this.#running.delete(current)
      }
    }
  }
}

const pauses = [400, 1200, 3000]

/** Scatters a pause by half, so that many pages do not return at one moment. */
export function scattered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random())
}

/**
 * @param milliseconds How long.
 * @param signal Ends the pause early.
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const end = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    signal?.addEventListener('abort', end)
  })
}
