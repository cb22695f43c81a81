/**
 * Asking again: when no answer came, or when the service itself failed.
 *
 * @module
 */
import { ApiProblem } from './checkout-api.ts'

/** Sends a request up to four times. What the service refuses is not asked again. */
export async function retried<T>(request: () => Promise<T>): Promise<T> {
  for (const wait of [400, 1200, 3000]) {
    try {
      return await request()
    } catch (error) {
      if (error instanceof ApiProblem && error.status < 500) throw error
      await sleep(wait)
    }
  }
  return await request()
}

/** @param milliseconds How long. */
export function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
