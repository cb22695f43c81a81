/** Starts the service inside a process, such as the setup of a test suite. @module */
import { readConfig } from '../config.ts'
import { startService as startInstance } from './start.ts'

/** Options of {@link startService}. */
export interface StartServiceOptions {
  /**
   * Port of the API and the hosted page. The test bank uses the next port.
   *
   * @default 0, which selects free ports
   */
  readonly port?: number
  /**
   * Origins whose pages may show the checkout, besides `http://localhost:3000`.
   *
   * @default none
   */
  readonly shopOrigins?: readonly string[]
  /**
   * What is logged, as in `PI_LOG_LEVEL`: `silent`, `error`, `warn`, or `info`.
   *
   * @default warn
   */
  readonly logLevel?: 'silent' | 'error' | 'warn' | 'info'
}

/** A running service with one merchant. */
export interface Service {
  /** Address of the API, for `PI_BASE_URL`. */
  readonly baseUrl: string
  /** Origin of the hosted page, for `PI_CHECKOUT_ORIGIN`. */
  readonly checkoutOrigin: string
  /** Test key of the merchant, for `PI_API_KEY`. */
  readonly apiKey: string
  /** Bearer token of the sandbox's control API. */
  readonly adminToken: string
  /** Address of the inspector. It contains the admin token. */
  readonly inspectorUrl: string
  /** Finishes open requests and stops, within 10 seconds. The intents are deleted. A second call has no effect. */
  stop(): Promise<void>
  /** The same as `stop()`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a service that stores its intents in memory. It reads no environment variables.
 *
 * It logs JSON lines to standard error.
 *
 * @param options - Port, origins, and what is logged.
 * @returns The service when it accepts requests.
 * @throws {TypeError} If an option is invalid or the port is in use. The message names the fix.
 *
 * @example
 * const service = await startService({ shopOrigins: ['http://localhost:5173'] })
 * process.env.PI_BASE_URL = service.baseUrl
 * process.env.PI_API_KEY = service.apiKey
 * await service.stop()
 */
export async function startService({
  port = 0,
  shopOrigins = [],
  logLevel,
}: StartServiceOptions = {}): Promise<Service> {
  const flags = { memory: true, port: String(port), shopOrigin: shopOrigins }
  const names = { '--port': 'port', '--shop-origin': 'shopOrigins', PI_LOG_LEVEL: 'logLevel' }
  const config = readConfig(flags, { PI_LOG_LEVEL: logLevel }, names)
  const running = await startInstance(config)
  const { apiKey, ...ready } = running.ready
  if (apiKey === null) throw new Error('A store in memory has no key')
  let stopped: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopped ??= running.stop()
    return stopped
  }
  return { ...ready, apiKey, stop, [Symbol.asyncDispose]: stop }
}
