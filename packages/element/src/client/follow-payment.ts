/** Asks the shop's server for the payment's phase until it is final. @module */
import {
  getStatus,
  type OrderRequest,
  type PaymentPhase,
  type PaymentStatus,
  readStatus,
} from './fetch-status.ts'

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
  options: OrderRequest = {},
): Promise<FinalPhase> {
  return await poll(() => getStatus(statusUrl, options), { ...options, longestPause: 5000 })
}

interface PollOptions {
  readonly signal?: AbortSignal | undefined
  /** In milliseconds. */
  readonly longestPause: number
  readonly onStatus?: (status: PaymentStatus) => void
}

/**
 * Asks until the phase is final, less and less often, and not while the page is hidden.
 *
 * @throws What another request would return too.
 * @throws The reason of `signal`, if it aborts.
 */
export async function poll(
  ask: () => Promise<unknown>,
  { signal, longestPause, onStatus }: PollOptions,
): Promise<FinalPhase> {
  if (document.hidden) await pause(0, signal)
  for (let delay = 500; ; delay = Math.min(delay * 1.5, longestPause)) {
    const status = await ask()
      .then(readStatus)
      .catch((error) => {
        if (Object(error).retryable === false) throw error
      })
    if (status) onStatus?.(status)
    const { phase } = status ?? {}
    if (isFinal(phase)) return phase
    await pause(delay, signal)
  }
}

/** Returns whether only another payment changes a phase. */
export function isFinal(phase: string | undefined): phase is FinalPhase {
  return ['paid', 'failed', 'review'].includes(phase ?? '')
}

/** Waits, and until the page is visible. A page that becomes visible ends it. */
export async function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
  await waitFor('visibilitychange', time, signal)
  while (document.hidden && !signal?.aborted) await waitFor('visibilitychange', 1e9, signal)
  signal?.throwIfAborted()
}

/** Waits for an event of the document, for some milliseconds, or until the signal aborts. */
export function waitFor(
  event: string,
  time: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      document.removeEventListener(event, end)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, time)
    document.addEventListener(event, end)
    signal?.addEventListener('abort', end)
    if (signal?.aborted) end()
  })
}
