/** Asks the shop's server for the payment's phase until it is final. @module */
import type { Phase } from '@pi-checkout/contract/spec-decisions'
import { requestJson, requestTimeout } from './request-json.ts'

export type { Phase }

/** Options of `followPayment`. */
export interface FollowOptions {
  /**
   * Ends the polling: the promise rejects with its reason.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds after which it resolves with a phase that is not final. The time of a hidden or suspended page
   * does not count. `Infinity` waits until the phase is final.
   *
   * @default 60_000
   */
  readonly timeout?: number | undefined
}

const phases: ReadonlySet<unknown> = new Set<Phase>([
  'open',
  'processing',
  'paid',
  'failed',
  'unknown',
])

/**
 * Polls your status route until the payment is `paid` or `failed`.
 *
 * It waits longer after each response, up to five seconds, and sends nothing while the page is hidden. A
 * request that fails is repeated.
 *
 * @param statusUrl - Your status route, of the page's own origin.
 * @param options - `signal` and `timeout`.
 * @returns The final phase, or the last one after `timeout`: `unknown` if no response arrived.
 * @throws {TypeError} If `timeout` is not a number, or negative.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * pay.addEventListener('pi-finish', async () => {
 *   output.value = await followPayment('/checkout/status')
 * })
 */
export async function followPayment(
  statusUrl: string,
  { signal, timeout = 60_000 }: FollowOptions = {},
): Promise<Phase> {
  if (!(typeof timeout === 'number' && timeout >= 0)) {
    throw new TypeError(`timeout: must be a number of milliseconds from 0; received ${timeout}`)
  }
  let phase: Phase = 'unknown'
  let remaining = timeout
  for (let delay = 500; ; delay = Math.min(delay * 1.5, 5000)) {
    if (document.hidden) await untilVisible(signal)
    const limit = Math.min(requestTimeout, remaining)
    const startedAt = performance.now()
    phase = (await readPhase(statusUrl, { signal: signal ?? null, timeout: limit })) ?? phase
    if (phase === 'paid' || phase === 'failed') return phase
    // At most the limits of request and pause, because both last longer while a page is suspended.
    remaining -= Math.min(performance.now() - startedAt, limit)
    const pause = Math.ceil(Math.min(delay, remaining))
    await sleep(pause, signal)
    remaining -= pause
    if (remaining <= 0) return phase
  }
}

/** Returns `undefined` if there is no usable response. */
async function readPhase(
  url: string,
  options: { readonly signal: AbortSignal | null; readonly timeout: number },
): Promise<Phase | undefined> {
  try {
    const { response, body } = await requestJson(url, options)
    return response.ok && phases.has(body.phase) ? (body.phase as Phase) : undefined
  } catch {
    if (options.signal?.aborted) throw options.signal.reason
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
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
