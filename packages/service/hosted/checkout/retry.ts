/** Retries requests after a timeout or a network failure, and immediately when the network may be back. @module */
import { isRejection } from './checkout-client.ts'

/** The page's running requests. */
export class Retries {
  readonly #running = new Set<AbortController>()

  /** Ends every running attempt and pause, and sends the requests again. */
  resume(): void {
    for (const current of this.#running) current.abort()
  }

  /**
   * Sends a request up to four times. Attempts that `resume` ends are not counted.
   *
   * @param request - Sends the request, the same one each time, and stops when its signal aborts.
   * @throws {ApiProblem} If the service rejects the request. It is not sent again.
   * @throws The last failure, if no attempt got a response or the response is no longer needed.
   */
  async send<T>(
    request: (signal: AbortSignal) => Promise<T>,
    {
      onFailure = () => {},
      isObsolete = () => false,
    }: {
      readonly onFailure?: (error: unknown) => void
      /** Returns whether the response is no longer needed. */
      readonly isObsolete?: () => boolean
    } = {},
  ): Promise<T> {
    for (let failures = 0; ; ) {
      const current = new AbortController()
      const { signal } = current
      this.#running.add(current)
      try {
        return await request(signal)
      } catch (error) {
        if (isRejection(error) || isObsolete()) throw error
        if (signal.aborted) continue
        onFailure(error)
        const pause = pauses[failures++]
        if (pause === undefined) throw error
        await sleep(jittered(pause), signal)
        if (isObsolete()) throw error
      } finally {
        this.#running.delete(current)
      }
    }
  }
}

const pauses = [400, 1200, 3000]

/** Varies a pause by half, so that many pages do not send their requests at the same moment. */
export function jittered(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random())
}

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
