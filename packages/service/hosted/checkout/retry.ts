/** Sends requests again after a timeout or a network failure, and immediately when the network may be back. @module */
import { isRejection } from './checkout-client.ts'

/** The page's running requests. */
export class Retries {
  readonly #running = new Set<AbortController>()

  /** Ends every running attempt and pause, and sends the requests again. No earlier response counts. */
  resume(): void {
    for (const current of this.#running) current.abort()
  }

  /**
   * Sends a request up to four times. Attempts that `resume` ends are not counted.
   *
   * @param request - Sends the request, and stops when its signal aborts.
   * @throws {ApiProblem} If the service rejects the request. It is not sent again.
   * @throws The last failure, if no attempt got a response or the response is no longer needed.
   */
  async send<T>(
    request: (signal: AbortSignal, isFirst: boolean) => Promise<T>,
    {
      isEndless = false,
      onFailure = () => {},
      isObsolete = () => false,
    }: {
      /** No failure and no rejection ends it. */
      readonly isEndless?: boolean
      /** @param failures - How many attempts have failed. */
      readonly onFailure?: (failures: number) => void
      /** Returns whether the response is no longer needed. */
      readonly isObsolete?: () => boolean
    } = {},
  ): Promise<T> {
    let failures = 0
    for (let isFirst = true; ; isFirst = false) {
      const current = new AbortController()
      const { signal } = current
      this.#running.add(current)
      try {
        const response = await request(signal, isFirst)
        if (!signal.aborted || isObsolete()) return response
      } catch (error) {
        if ((!isEndless && isRejection(error)) || isObsolete()) throw error
        if (signal.aborted) continue
        onFailure(++failures)
        if (!isEndless && failures === maxAttempts) throw error
        const pause = Math.min(8000, 400 * 3 ** (failures - 1))
        // Varied by half, so that many pages do not send their requests at the same moment.
        await sleep(pause * (0.5 + Math.random()), signal)
        if (isObsolete()) throw error
      } finally {
        this.#running.delete(current)
      }
    }
  }
}

const maxAttempts = 4

/** @param signal - Ends the pause early. */
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
