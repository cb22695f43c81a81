/** Options of a client, and the settings that they and the environment give. @module */
import { checkedApiKey, checkedBaseUrl, variableApiKey, variableBaseUrl } from './configuration.ts'
import { ConfigurationError } from './errors.ts'
import { fetchTransport } from './fetch-transport.ts'
import { isNode, nodeTransport } from './node-transport.ts'
import type { Translate } from './translate.ts'
import type { Transport } from './transport.ts'

/** Options of a client. */
export interface PaymentIntentsOptions {
  /**
   * Secret API key.
   * @default `PI_API_KEY`, read on first use
   */
  readonly apiKey?: string | undefined
  /**
   * Base URL of the service: https, or http on loopback.
   * @default `PI_BASE_URL`, read on first use
   */
  readonly baseUrl?: string | URL | undefined
  /**
   * Part of every derived key and of the scope. Separates shops whose order ids may collide under one API key. A checkout
   * requires it for a key that is not of `@pi-checkout/service`, such as `'acme live'`.
   * @default ''
   */
  readonly namespace?: string | undefined
  /**
   * Returns each response of another service in our form. A status that is not ours is `unknown`: never paid, never failed.
   * `failed`, `canceled`, and `expired` must mean that the intent can never be paid any more.
   * @default None: the service is `@pi-checkout/service`, which names itself in each response
   * @see guides/other-services.md
   */
  readonly translate?: Translate | undefined
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

/** The settings that every request needs. */
export interface Settings {
  readonly apiKey: string
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly namespace: string
  /** Reads the responses of another service. */
  readonly translate: Translate | undefined
  readonly send: Transport
  readonly timeout: number
  readonly maxRetries: number
}

/**
 * Checks the options, and returns a function that reads the environment variables on its first call.
 *
 * @throws {ConfigurationError} If an option is malformed.
 */
export function settingsOf(options: PaymentIntentsOptions): () => Settings {
  const { namespace = '', timeout = 10_000, maxRetries = 3, translate } = options
  const apiKey = options.apiKey === undefined ? undefined : checkedApiKey(options.apiKey)
  const baseUrl = options.baseUrl === undefined ? undefined : checkedBaseUrl(options.baseUrl)
  if (typeof namespace !== 'string' || !namespace.isWellFormed()) {
    throw new ConfigurationError('namespace', 'must be well-formed text.')
  }
  if (translate !== undefined && typeof translate !== 'function') {
    throw new ConfigurationError('translate', 'must be a function of a response.')
  }
  if (!Number.isSafeInteger(maxRetries) || maxRetries < 0) {
    throw new ConfigurationError('maxRetries', 'must be a whole number from 0.')
  }
  checkedMilliseconds('timeout', timeout)
  const checked = {
    namespace,
    translate,
    send: chooseTransport(options.fetch),
    timeout,
    maxRetries,
  }
  let settings: Settings | undefined
  return () => {
    settings ??= {
      ...checked,
      apiKey: apiKey ?? variableApiKey(),
      baseUrl: baseUrl ?? variableBaseUrl(),
    }
    return settings
  }
}

// Chosen once: replacing a global later has no effect.
function chooseTransport(fetch: PaymentIntentsOptions['fetch']): Transport {
  if (fetch) return fetchTransport(fetch)
  if (isNode()) return nodeTransport
  return fetchTransport((input, init) => globalThis.fetch(input, init))
}

export function checkedMilliseconds(name: string, value: number): number {
  if (typeof value === 'number' && value > 0 && value < 2 ** 31) return value
  const rule = 'must be a number of milliseconds greater than 0 and less than 2147483648.'
  throw new ConfigurationError(name, rule)
}
