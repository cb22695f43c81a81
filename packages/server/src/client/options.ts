/**
 * Timeouts, attempts, transport, and test hooks of a client.
 *
 * @module
 */
// biome-ignore lint/style/noRestrictedImports: types only
import type { Agent } from 'node:http'
import type { RequestAttempt } from './errors.ts'
import { fetchTransport } from './fetch-transport.ts'
import { isNode, nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** An attempt, as passed to `onAttempt` and published to the diagnostics channel `pi-checkout:attempt`. */
export interface AttemptReport extends RequestAttempt {
  readonly operation: 'create' | 'retrieve'
  /** From 1. */
  readonly number: number
  readonly idempotencyKey: string | undefined
  /** Milliseconds until the next attempt; `undefined` after the last. */
  readonly retryIn: number | undefined
}

/** The options of a client with their defaults. */
export interface ClientSettings {
  readonly send: Transport
  readonly timeout: number
  readonly attempts: number
  readonly clock: () => number
  readonly random: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  readonly report: (attempt: AttemptReport) => void
}

/** Options of a client that concern its requests. */
export interface ClientOptions {
  /**
   * Makes the connections, in Node.js: for a private certificate authority, a client certificate, or a proxy.
   * @default `https.globalAgent`, or `http.globalAgent` for http on loopback
   */
  readonly agent?: Agent | undefined
  /**
   * Sends the requests instead of the HTTP client of Node.js.
   * @default `node:https` in Node.js, `globalThis.fetch` on other runtimes
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Milliseconds for one attempt, headers and body.
   * @default 10000
   */
  readonly timeout?: number | undefined
  /**
   * Maximum number of attempts of a call.
   * @default 4
   */
  readonly attempts?: number | undefined
  /**
   * Called after each attempt. Errors that it throws are ignored.
   * @default None
   */
  readonly onAttempt?: ((attempt: AttemptReport) => void) | undefined
  /**
   * Milliseconds since 1970, for tests.
   * @default A monotonic clock
   */
  readonly clock?: (() => number) | undefined
  /**
   * A number from 0 to 1, exclusive, for tests.
   * @default Math.random
   */
  readonly random?: (() => number) | undefined
  /**
   * Waits, and rejects if the signal is aborted, for tests.
   * @default A timer
   */
  readonly sleep?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined
}

/**
 * Adds the defaults.
 *
 * @throws {TypeError} If a number is out of range.
 */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const { attempts = 4, onAttempt } = options
  if (!Number.isSafeInteger(attempts) || attempts < 1) {
    throw new TypeError(`attempts: must be a whole number from 1; received ${String(attempts)}.`)
  }
  return {
    send: chooseTransport(options),
    timeout: checkedMilliseconds('timeout', options.timeout ?? 10_000),
    attempts,
    clock: options.clock ?? (() => performance.timeOrigin + performance.now()),
    random: options.random ?? Math.random,
    sleep: options.sleep ?? sleep,
    report: (attempt) => {
      try {
        onAttempt?.(attempt)
      } catch {
        // An observer must not fail a payment.
      }
      attemptChannel()?.publish(attempt)
    },
  }
}

// Chosen once: replacing a global later has no effect.
function chooseTransport({ agent, fetch }: ClientOptions): Transport {
  if (agent && fetch) {
    throw new TypeError('agent: is not used if fetch is given. Pass one of the two options.')
  }
  if (fetch) return fetchTransport(fetch)
  if (isNode()) return nodeTransport(agent)
  if (agent) throw new TypeError('agent: works in Node.js only. Pass fetch instead.')
  return fetchTransport((input, init) => globalThis.fetch(input, init))
}

/** Returns a number of milliseconds that a timer supports. */
export function checkedMilliseconds(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value < 2 ** 31) return value
  const received = typeof value === 'string' ? JSON.stringify(value).slice(0, 60) : String(value)
  throw new TypeError(
    `${name}: must be a number of milliseconds greater than 0 and less than 2147483648; received ${received}.`,
  )
}

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

let cachedChannel: { readonly publish: (message: unknown) => void } | undefined

/** Returns `undefined` on a runtime without diagnostics channels. */
function attemptChannel(): typeof cachedChannel {
  cachedChannel ??= globalThis.process
    ?.getBuiltinModule?.('node:diagnostics_channel')
    .channel('pi-checkout:attempt')
  return cachedChannel
}
