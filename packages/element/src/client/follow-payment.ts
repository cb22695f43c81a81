/**
 * Asks the shop's server for the payment's phase until it is final.
 *
 * @module
 */
import type { Phase } from '@pi-checkout/contract/spec-decisions'
import { requestJson } from './request-json.ts'

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
   * Milliseconds after which it resolves with a phase that is not final. The time of a hidden page does not count.
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
 * @example
 * pay.addEventListener('pi-finish', async () => {
 *   output.value = await followPayment('/checkout/status')
 * })
 */
export async function followPayment(
  statusUrl: string,
  { signal, timeout = 60_000 }: FollowOptions = {},
): Promise<Phase> {
  let phase: Phase = 'unknown'
  let remaining = timeout
  for (let delay = 500; ; delay = Math.min(delay * 1.5, 5000)) {
    if (document.hidden) await untilVisible(signal)
    const startedAt = performance.now()
    phase = (await readPhase(statusUrl, signal)) ?? phase
    if (phase === 'paid' || phase === 'failed') return phase
    await sleep(Math.min(delay, remaining), signal)
    remaining -= performance.now() - startedAt
    if (remaining <= 0) return phase
  }
}

/** Returns `undefined` if there is no usable response. */
async function readPhase(url: string, signal: AbortSignal | undefined): Promise<Phase | undefined> {
  try {
    const { response, body } = await requestJson(url, { signal: signal ?? null })
    return response.ok && phases.has(body.phase) ? (body.phase as Phase) : undefined
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
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
