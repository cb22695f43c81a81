/** The client of the service. Its calls are safe to repeat. @module */
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { apiKeyPattern, apiVersions } from '@pi-checkout/contract/spec-decisions'
import {
  checkedApiKey,
  checkedBaseUrl,
  type Settings,
  variableApiKey,
  variableBaseUrl,
} from './configuration.ts'
import type { CreateParams } from './create-params.ts'
import { AbortedError, ConnectionError, malformedOption, PiError } from './errors.ts'
import { idempotencyKey, prepareCreate } from './idempotency-key.ts'
import {
  assertIntentId,
  type CreatedResponse,
  createRequest,
  type OperationRequest,
  retrieveRequest,
} from './operations.ts'
import {
  type ClientOptions,
  type ClientSettings,
  checkedMilliseconds,
  readClientOptions,
} from './options.ts'
import { masked } from './redact.ts'
import { RetryingCall } from './retrying-call.ts'
import { sha256 } from './sha256.ts'

/** Options of a client. */
export interface PaymentIntentsOptions extends ClientOptions {
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
   * Version of the API that requests are for, sent as `Api-Version`; `null` sends none, for a service without versions.
   * @default '2026-11-20'
   */
  readonly apiVersion?: string | null | undefined
  /**
   * Milliseconds for a call, including retries and the waits between them.
   * @default 30000
   */
  readonly totalTimeout?: number | undefined
  /**
   * Part of every derived key. Separates shops whose order ids may collide under one API key.
   * @default ''
   */
  readonly namespace?: string | undefined
}

/** Options of a call. */
export interface CallOptions {
  /**
   * Stops waiting. The intent may exist: see `outcome` of the error.
   * @default None
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Milliseconds for the call.
   * @default `totalTimeout` of the client
   */
  readonly totalTimeout?: number | undefined
}

/** Options of a create. */
export interface CreateOptions extends CallOptions {
  /**
   * Replaces the derived key: 1 to 255 visible ASCII characters.
   * @default Derived from the order and the body
   */
  readonly idempotencyKey?: string | undefined
  /**
   * Number of the intent for this order. Raise it to create another intent on purpose.
   * @default 1
   */
  readonly attempt?: number | undefined
}

/** The two values that the paying browser needs. */
export interface Handoff {
  readonly id: string
  /** Allows paying this intent. `JSON.stringify` includes it, `console.log` masks it. */
  readonly clientSecret: string
}

/** Result of a create. */
export interface CreatedIntent {
  /** Contains no secret: safe to log and to store. */
  readonly intent: PaymentIntent
  /** For the paying browser only. */
  readonly handoff: Handoff
  /** Whether an identical earlier call created the intent. */
  readonly replayed: boolean
}

/**
 * Creates and retrieves Payment Intents. Create one client and reuse it.
 *
 * @example
 * const intents = new PaymentIntents()
 */
export class PaymentIntents {
  readonly #options: PaymentIntentsOptions
  readonly #client: ClientSettings
  readonly #totalTimeout: number
  readonly #pendingCalls = new Map<string, RetryingCall<CreatedResponse>>()
  #settings: Settings | undefined
  #tenant: Promise<string> | undefined

  /**
   * A missing environment variable fails the first call, so that importing and building need none.
   *
   * @param options - See `PaymentIntentsOptions`.
   * @throws {TypeError} If an option is invalid, or if it runs in a browser.
   */
  constructor(options: PaymentIntentsOptions = {}) {
    if ('window' in globalThis && 'document' in globalThis) {
      throw new TypeError(
        'PaymentIntents: needs the secret API key and must not run in a browser. Use @pi-checkout/element there.',
      )
    }
    if (options.apiKey !== undefined) checkedApiKey(options.apiKey)
    const { apiVersion } = options
    if (typeof apiVersion === 'string' && !/^\d{4}-\d\d-\d\d$/.test(apiVersion)) {
      const rule = `must be a date such as ${apiVersions[0]}, or null`
      throw malformedOption('apiVersion', rule, apiVersion)
    }
    if (options.baseUrl !== undefined) checkedBaseUrl(options.baseUrl)
    this.#options = options
    this.#totalTimeout = checkedMilliseconds('totalTimeout', options.totalTimeout ?? 30_000)
    this.#client = readClientOptions(options)
  }

  /**
   * Creates a Payment Intent, or returns the existing one if an identical call created it before.
   *
   * All requests send the same idempotency key and the same bytes, so a retry never creates a second intent.
   *
   * @param params - `amount` is in minor units: 150000 is 1500.00 AMD.
   * @param options - `attempt`, `idempotencyKey`, `totalTimeout`, and `signal`.
   * @returns `intent`, which is safe to log, and `handoff`, which contains `clientSecret`: send it to the paying browser only.
   * @throws {TypeError} If a field is invalid. Nothing was sent.
   * @throws {ApiError} If the service rejects the request. Retry only if `retryable` is true.
   * @throws {ConnectionError} If no complete response arrives. Check `outcome`, then call again with the same arguments.
   * @throws {IdempotencyConflictError} If `idempotencyKey` was used with a different body.
   * @throws {ContractError} If the response violates the specification. Don't use it.
   * @throws {AbortedError} If `signal` is aborted. Check `outcome`.
   * @example
   * const { intent, handoff } = await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
   * @see Payment Intents specification, §4.1 and §4.3
   */
  async create(params: CreateParams, options: CreateOptions = {}): Promise<CreatedIntent> {
    const deadlineAt = this.#deadlineAt(options)
    const { namespace } = this.#options
    const { attempt, idempotencyKey } = options
    const prepared = await prepareCreate(params, { namespace, attempt, idempotencyKey })
    const operation = createRequest(this.#readSettings(), prepared)
    rejectAborted(operation, options.signal)
    // Identical calls of this process share one RetryingCall. Another body under the same key has a separate one.
    const dedupeKey = `${prepared.key} ${prepared.bytes}`
    for (;;) {
      const pending = this.#pendingCalls.get(dedupeKey)
      const shared = pending?.stopped ? undefined : pending
      const call = shared ?? this.#startCall(dedupeKey, operation, deadlineAt)
      try {
        const { value, replayed } = await call.wait(deadlineAt, options.signal)
        const { clientSecret, intent } = value
        return { intent: { ...intent }, handoff: maskedHandoff(intent.id, clientSecret), replayed }
      } catch (error) {
        // The shared call had the deadline of the caller that started it. This one may be later.
        const timedOut = error instanceof PiError && error.code === 'timed_out'
        if (!shared || !timedOut || this.#client.clock() >= deadlineAt) throw error
      }
    }
  }

  /**
   * Returns the idempotency key that `create()` would send, without sending anything.
   *
   * @param params - The arguments of `create()`.
   * @param options - `attempt` as for `create()`.
   * @throws {TypeError} If a field is invalid.
   * @example
   * const key = await intents.keyFor({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
   */
  async keyFor(
    params: CreateParams,
    { attempt }: Pick<CreateOptions, 'attempt'> = {},
  ): Promise<string> {
    return idempotencyKey(params, { namespace: this.#options.namespace, attempt })
  }

  /**
   * Returns a digest of base URL and API key, which tells merchants apart without revealing the key.
   *
   * @example
   * const isSame = (await intents.tenant()) === (await other.tenant())
   */
  async tenant(): Promise<string> {
    const { apiKey, baseUrl } = this.#readSettings()
    this.#tenant ??= sha256(`pi-tenant|${baseUrl}|${apiKey}`)
    return this.#tenant
  }

  /**
   * Checks at startup that the variables are set and valid, that the service is reachable, and that it accepts the key.
   *
   * @param options - `totalTimeout` and `signal`.
   * @returns `environment`: the one that the key selects; `undefined` for a key in another format.
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
   * @throws {ApiError} If the service rejects the key, or another server responds at this address.
   * @throws {ConnectionError} If the service cannot be reached.
   * @example
   * await intents.check() // before the server listens
   */
  async check(
    options: CallOptions = {},
  ): Promise<{ readonly environment: 'test' | 'live' | undefined }> {
    const { apiKey } = this.#readSettings()
    try {
      await this.retrieve('pi_check', options)
    } catch (error) {
      // No intent has this id. A service returns this code only after it accepted the key.
      if (!(error instanceof PiError) || error.code !== 'payment_intent_not_found') throw error
    }
    const [, mode] = apiKeyPattern.exec(apiKey) ?? []
    return { environment: mode === 'test' || mode === 'live' ? mode : undefined }
  }

  /**
   * Returns the current Payment Intent.
   *
   * @param id - As `create()` returned it.
   * @param options - `totalTimeout` and `signal`.
   * @throws {TypeError} If the id is malformed. Nothing was sent.
   * @throws {ApiError} If the service rejects the request: `payment_intent_not_found` also for another merchant's intent.
   * @throws {ConnectionError} If no complete response arrives. Call again.
   * @throws {ContractError} If the response violates the specification.
   * @throws {AbortedError} If `signal` is aborted.
   * @example
   * const { status } = await intents.retrieve(order.intentId)
   * @see Payment Intents specification, §4.2
   */
  async retrieve(id: string, options: CallOptions = {}): Promise<PaymentIntent> {
    return this.#retrieve(id, this.#deadlineAt(options), options.signal)
  }

  /**
   * Retrieves an intent until `done` returns true, with growing waits.
   *
   * @param id - As `create()` returned it.
   * @param done - Called with each retrieved intent.
   * @param options - `totalTimeout` covers all requests and waits.
   * @returns The intent for which `done` returned true.
   * @throws {ConnectionError} With code `timed_out` if `totalTimeout` passes first.
   * @example
   * const intent = await intents.waitUntil(id, ({ status }) => phaseOf(status) !== 'processing')
   */
  async waitUntil(
    id: string,
    done: (intent: PaymentIntent) => boolean,
    options: CallOptions = {},
  ): Promise<PaymentIntent> {
    const deadlineAt = this.#deadlineAt(options)
    const { signal } = options
    const { clock, sleep } = this.#client
    for (let wait = 500; ; wait = Math.min(wait * 1.5, 5_000)) {
      const intent = await this.#retrieve(id, deadlineAt, signal)
      if (done(intent)) return intent
      if (clock() + wait >= deadlineAt) {
        throw new ConnectionError('waitUntil exceeded its total timeout', {
          code: 'timed_out',
          outcome: 'unknown',
          retryable: true,
          requests: [],
        })
      }
      await sleep(wait, signal ?? new AbortController().signal).catch((error: unknown) => {
        if (!signal?.aborted) throw error
      })
    }
  }

  async #retrieve(
    id: string,
    deadlineAt: number,
    signal: AbortSignal | undefined,
  ): Promise<PaymentIntent> {
    assertIntentId(id)
    const operation = retrieveRequest(this.#readSettings(), id)
    rejectAborted(operation, signal)
    const call = new RetryingCall(operation, this.#client, deadlineAt)
    return (await call.wait(deadlineAt, signal)).value
  }

  #startCall(
    dedupeKey: string,
    operation: OperationRequest<CreatedResponse>,
    deadlineAt: number,
  ): RetryingCall<CreatedResponse> {
    const call = new RetryingCall(operation, this.#client, deadlineAt)
    this.#pendingCalls.set(dedupeKey, call)
    const removePending = (): void => {
      if (this.#pendingCalls.get(dedupeKey) === call) this.#pendingCalls.delete(dedupeKey)
    }
    void call.ended.then(removePending)
    return call
  }

  #readSettings(): Settings {
    const { apiKey, apiVersion = apiVersions[0], baseUrl } = this.#options
    this.#settings ??= {
      apiVersion: apiVersion ?? undefined,
      apiKey: apiKey ?? variableApiKey(),
      baseUrl: baseUrl === undefined ? variableBaseUrl() : checkedBaseUrl(baseUrl),
    }
    return this.#settings
  }

  #deadlineAt({ totalTimeout }: CallOptions): number {
    const ms =
      totalTimeout === undefined
        ? this.#totalTimeout
        : checkedMilliseconds('totalTimeout', totalTimeout)
    return this.#client.clock() + ms
  }
}

const inspect = Symbol.for('nodejs.util.inspect.custom')

/** Returns a handoff that `console.log` prints without its secret. */
export function maskedHandoff(id: string, clientSecret: string): Handoff {
  const handoff = { id, clientSecret }
  Object.defineProperty(handoff, inspect, { value: () => ({ id, clientSecret: masked }) })
  return handoff
}

function rejectAborted(
  { title, idempotencyKey }: OperationRequest<unknown>,
  signal: AbortSignal | undefined,
): void {
  if (!signal?.aborted) return
  throw new AbortedError(`${title} was aborted by its caller; nothing was sent`, {
    code: 'aborted',
    outcome: 'not_sent',
    retryable: true,
    requests: [],
    idempotencyKey,
    cause: signal.reason,
  })
}
