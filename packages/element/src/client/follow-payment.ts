/** Asks the shop's server for the payment's phase until it is final. @module */
import type { Phase } from '@pi-checkout/contract/payment-status'
import { requestJson } from './request-json.ts'

export type { Phase }

/**
 * What your status route returns. `review`: your shop must decide about a payment first. `unknown`: a payment has a status
 * that your server does not support.
 */
export type PaymentPhase = Phase | 'review'

/** Options of `followPayment`. */
export interface FollowOptions {
  /**
   * Ends the polling: the promise rejects with its reason.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
}

const finalPhases = ['paid', 'failed', 'review'] as const

/**
 * Polls your status route until the payment is `paid`, `failed`, or under `review`.
 *
 * It waits longer after each response, up to five seconds, and sends nothing while the page is hidden. A
 * request that fails is repeated.
 *
 * @param statusUrl - Your status route: a path, or an address of another origin that your server permits.
 * @param options - `signal`.
 * @returns The final phase.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * pay.addEventListener('pi-finish', async () => {
 *   output.value = await followPayment('/checkout/status')
 * })
 */
export async function followPayment(
  statusUrl: string,
  { signal }: FollowOptions = {},
): Promise<(typeof finalPhases)[number]> {
  for (let delay = 500; ; delay = Math.min(delay * 1.5, 5000)) {
    if (document.hidden) await pause(0, signal)
    const phase = await readPhase(statusUrl, signal)
    if (phase) return phase
    await pause(delay, signal)
  }
}

/** Returns `undefined` if the phase is not final, or there is no usable response. */
async function readPhase(
  url: string,
  signal: AbortSignal | undefined,
): Promise<(typeof finalPhases)[number] | undefined> {
  try {
    const { response, body } = await requestJson(url, { signal })
    return finalPhases.find((phase) => response.ok && phase === body.phase)
  } catch {
    return undefined
  }
}

/** Waits, and until the page is visible. Rejects with the reason of the signal. */
function pause(time: number, signal: AbortSignal | undefined): Promise<void> {
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
