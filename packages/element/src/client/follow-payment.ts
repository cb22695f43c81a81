/** Asks the shop's server for the payment's phase until it is final. @module */
import { getStatus, type OrderRequest, type PaymentPhase } from './fetch-status.ts'

/** A phase that only the shop or another attempt changes. */
type FinalPhase = Extract<PaymentPhase, 'paid' | 'failed' | 'review'>

/**
 * Polls your status route until the payment is `paid`, `failed`, or under `review`, on a page without `<pi-checkout>`.
 *
 * It waits longer after each response, up to five seconds, and sends nothing while the page is hidden. A
 * request without a response, or with HTTP status 429 or 5xx, is repeated.
 *
 * @param statusUrl - Your status route: a path, or an address of another origin that your server permits.
 * @param options - `orderId` and `signal`.
 * @returns The final phase.
 * @throws {ShopError} If the route returns something else than a status.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * output.value = await followPayment('/checkout/status', { orderId: 'A-1001' })
 */
export async function followPayment(
  statusUrl: string,
  { orderId, signal }: OrderRequest = {},
): Promise<FinalPhase> {
  for (let delay = 500; ; delay = Math.min(delay * 1.5, 5000)) {
    if (document.hidden) await pause(0, signal)
    const phase = await getStatus(statusUrl, { orderId, signal }).then(
      ({ phase }) => phase,
      ignoreTransient,
    )
    if (phase === 'paid' || phase === 'failed' || phase === 'review') return phase
    await pause(delay, signal)
  }
}

/** @throws What another request would return too. */
export function ignoreTransient(error: unknown): undefined {
  if (Object(error).retryable === false) throw error
}

/** Waits, and until the page is visible. Rejects with the reason of the signal. */
export function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      if (document.hidden && !signal?.aborted) return
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', end)
      signal?.removeEventListener('abort', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, time)
    document.addEventListener('visibilitychange', end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
