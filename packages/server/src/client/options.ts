/** Timeouts, retries, and transport of a client. @module */
import { ConfigurationError } from './errors.ts'
import { fetchTransport } from './fetch-transport.ts'
import { isNode, nodeTransport } from './node-transport.ts'
import type { Transport } from './transport.ts'

/** The options of a client with their defaults. */
export interface ClientSettings {
  readonly send: Transport
  readonly timeout: number
  readonly maxRetries: number
}

/** Options of a client that concern its requests. */
export interface ClientOptions {
  /**
   * Sends the requests instead of the HTTP client of Node.js.
   * @default `node:https` in Node.js, with its global agent; `globalThis.fetch` on other runtimes
   */
  readonly fetch?: typeof globalThis.fetch | undefined
  /**
   * Milliseconds for one request, headers and body.
   * @default 10000
   */
  readonly timeout?: number | undefined
  /**
   * Maximum number of requests of a call after the first.
   * @default 3
   */
  readonly maxRetries?: number | undefined
}

/**
 * Adds the defaults.
 *
 * @throws {ConfigurationError} If a number is out of range.
 */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const { maxRetries = 3 } = options
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError('maxRetries', 'must be a whole number from 0.')
  }
  return {
    send: chooseTransport(options.fetch),
    timeout: checkedMilliseconds('timeout', options.timeout ?? 10_000),
    maxRetries,
  }
}

// Chosen once: replacing a global later has no effect.
function chooseTransport(fetch: ClientOptions['fetch']): Transport {
  if (fetch) return fetchTransport(fetch)
  if (isNode()) return nodeTransport
  return fetchTransport((input, init) => globalThis.fetch(input, init))
}

export function checkedMilliseconds(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value < 2 ** 31) return value
  const rule = 'must be a number of milliseconds greater than 0 and less than 2147483648.'
  throw new ConfigurationError(name, rule)
}
