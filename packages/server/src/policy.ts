/**
 * How long, how often, and with which clock, chance and transport a client works.
 *
 * @module
 */
import type { Agent } from 'node:http'
import type { Attempt } from './errors.ts'
import { fetchTransport } from './fetch-transport.ts'
import { isNode, nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** What every attempt reports, failed ones too, to `onAttempt` and to `pi-checkout:attempt`. */
export interface AttemptReport extends Attempt {
  readonly operation: 'create' | 'retrieve'
  /** From 1. */
  readonly number: number
  readonly idempotencyKey: string | undefined
  /** Milliseconds until the next attempt, or `undefined` when this one was the last. */
  readonly retryIn: number | undefined
}

/** How long, how often, and with which clock, chance and transport. */
export interface Policy {
  readonly send: Transport
  readonly timeout: number
  readonly attempts: number
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly report: (attempt: AttemptReport) => void
}

/** What a merchant may set of it. */
export interface PolicyOptions {
  /**
   * Makes the connections, in Node: an `https.Agent` with a certificate authority or a client certificate of yours,
   * or the agent of a proxy.
   *
   * @default Node's `https.globalAgent`, or `http.globalAgent` for http on this machine.
   */
  readonly agent?: Agent | undefined
  /**
   * Sends the requests, in place of Node's HTTP client.
   *
   * @default `node:https` in Node, `globalThis.fetch` on every other runtime.
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Milliseconds for one attempt, headers and body. Default 10 000. */
  readonly timeout?: number | undefined
  /** Attempts in all. Default 4. */
  readonly attempts?: number | undefined
  /** Hears of every attempt. What it throws is dropped: an observer breaks no payment. */
  readonly onAttempt?: ((attempt: AttemptReport) => void) | undefined
  /** Milliseconds since 1970; for tests. Default: a clock that never jumps. */
  readonly clock?: (() => number) | undefined
  /** A number from 0 to 1, exclusive; for tests. */
  readonly random?: (() => number) | undefined
  /** Waits, and rejects when the signal is aborted; for tests. */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Fills in the defaults.
 *
 * @throws {TypeError} A number is out of its range.
 */
export function readPolicy(options: PolicyOptions): Policy {
  const attempts = options.attempts ?? 4
  if (!Number.isSafeInteger(attempts) || attempts < 1) {
    throw new TypeError('attempts: must be a whole number from 1')
  }
  return {
    send: readTransport(options),
    timeout: milliseconds('timeout', options.timeout ?? 10_000),
    attempts,
    clock: options.clock ?? (() => performance.timeOrigin + performance.now()),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    report: reporter(options.onAttempt),
  }
}

/** Chooses once, from these options and the runtime: a global that is replaced later changes nothing. */
function readTransport({ agent, fetch }: PolicyOptions): Transport {
  if (agent && fetch) {
    throw new TypeError('agent: is not used when fetch is given. Pass one of the two options.')
  }
  if (fetch) return fetchTransport(fetch)
  if (isNode()) return nodeTransport(agent)
  if (agent) throw new TypeError('agent: works in Node.js only. Pass fetch instead.')
  return fetchTransport((input, init) => globalThis.fetch(input, init))
}

/** Checks a number of milliseconds; timers take no more than 2^31 - 1. */
export function milliseconds(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value < 2 ** 31) return value
  throw new TypeError(`${name}: must be milliseconds, more than 0 and less than 2147483648`)
}

/** Waits; an abort ends it at once and leaves no listener behind. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

function reporter(onAttempt: PolicyOptions['onAttempt']): Policy['report'] {
  return (attempt) => {
    try {
      onAttempt?.(attempt)
    } catch {
      // An observer breaks no payment.
    }
    channel()?.publish(attempt)
  }
}

let known: { readonly publish: (message: unknown) => void } | undefined

/** The channel of Node, and of what follows it; elsewhere there is none. */
function channel(): typeof known {
  known ??= globalThis.process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    .channel('pi-checkout:attempt')
  return known
}
