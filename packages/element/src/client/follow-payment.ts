/** Asks the shop's server for the payment's phase until it is final. @module */
import type { Phase } from '@pi-checkout/contract/profile'
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

const phases: ReadonlySet<unknown> = new Set<PaymentPhase>([
  'open',
  'processing',
  'paid',
  'failed',
  'review',
  'unknown',
])

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
): Promise<'paid' | 'failed' | 'review'> {
  for (let delay = 500; ; delay = Math.min(delay * 1.5, 5000)) {
    if (document.hidden) await untilVisible(signal)
    const phase = await readPhase(statusUrl, signal)
    if (phase === 'paid' || phase === 'failed' || phase === 'review') return phase
    await sleep(delay, signal)
  }
}

/** Returns `undefined` if there is no usable response. */
async function readPhase(
  url: string,
  signal: AbortSignal | undefined,
): Promise<PaymentPhase | undefined> {
  try {
    const { response, body } = await requestJson(url, { signal })
    return response.ok && phases.has(body.phase) ? (body.phase as PaymentPhase) : undefined
  } catch {
    if (signal?.aborted) throw signal.reason
    return undefined
  }
}

function sleep(time: number, signal: AbortSignal | undefined): Promise<void> {
  return waitFor((done) => {
    const timer = setTimeout(done, time)
    return () => clearTimeout(timer)
  }, signal)
}

function untilVisible(signal: AbortSignal | undefined): Promise<void> {
  return waitFor((done) => {
    document.addEventListener('visibilitychange', done)
    return () => document.removeEventListener('visibilitychange', done)
  }, signal)
}

/** Waits for one event, or rejects with the reason of the signal. */
function waitFor(
  listen: (done: () => void) => () => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = (): void => {
      stop()
      reject(signal?.reason)
    }
    const stop = listen(() => {
      stop()
      signal?.removeEventListener('abort', onAbort)
      resolve()
    })
    signal?.addEventListener('abort', onAbort)
  })
}
