/**
 * The two operations of the service, safe to repeat.
 *
 * @module
 */

import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { apiKeyPattern } from '@pi-checkout/contract/spec-decisions'
import type { Call } from './answer.ts'
import { type Created, checkedId, createCall, retrieveCall } from './calls.ts'
import {
  checkedApiKey,
  checkedBaseUrl,
  type Settings,
  variableApiKey,
  variableBaseUrl,
} from './configuration.ts'
import { AbortedError, ConnectionError, PiError } from './errors.ts'
import { Exchange } from './exchange.ts'
import { type CreateParams, idempotencyKey, prepareCreate } from './idempotency-key.ts'
import { type Handoff, maskedHandoff } from './mask.ts'
import { milliseconds, type Policy, type PolicyOptions, readPolicy } from './policy.ts'

/** Settings of a client. All are optional. */
export interface PaymentIntentsOptions extends PolicyOptions {
  /** Secret API key. Default: `PI_API_KEY`, read on first use. */
  readonly apiKey?: string | undefined
  /** Base address of the service: https, or http on this machine. Default: `PI_BASE_URL`. */
  readonly baseUrl?: string | URL | undefined
  /** Milliseconds for everything, waits too. Default 30 000. */
  readonly deadline?: number | undefined
  /** Part of every derived key; keeps shops apart whose order ids may collide under one API key. */
  readonly namespace?: string | undefined
}

/** Settings of one call. */
export interface CallOptions {
  /** Ends the waiting. The intent may exist all the same: see the error's `outcome`. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for everything. Default: the client's. */
  readonly deadline?: number | undefined
}

/** Settings of one create. */
export interface CreateOptions extends CallOptions {
  /** Taken instead of the derived key: 1 to 255 visible ASCII characters. You rarely want this. */
  readonly idempotencyKey?: string | undefined
  /** Asks for a fresh intent for the same order on purpose. From 1, which is the default. */
  readonly attempt?: number | undefined
}

/** What a create gives. */
export interface CreatedIntent {
  /** Holds no secret: log it, store it. */
  readonly intent: PaymentIntent
  /** For the paying browser alone. */
  readonly handoff: Handoff
  /** Whether an identical earlier call had made this intent. */
  readonly replayed: boolean
}

/** The service as a merchant's server uses it. Make one and keep it. */
export class PaymentIntents {
  readonly #options: PaymentIntentsOptions
  readonly #policy: Policy
  readonly #deadline: number
  readonly #underway = new Map<string, Exchange<Created>>()
  #settings: Settings | undefined

  /**
   * @throws {TypeError} An option is malformed, or this is a browser. Missing variables are told on
   * the first call, so that importing and building need none.
   */
  constructor(options: PaymentIntentsOptions = {}) {
    if ('window' in globalThis && 'document' in globalThis) {
      throw new TypeError(
        'PaymentIntents: holds the secret API key and must not run in a browser; use @pi-checkout/element there',
      )
    }
    if (options.apiKey !== undefined) checkedApiKey(options.apiKey)
    if (options.baseUrl !== undefined) checkedBaseUrl(options.baseUrl)
    this.#options = options
    this.#deadline = milliseconds('deadline', options.deadline ?? 30_000)
    this.#policy = readPolicy(options)
  }

  /**
   * Creates a Payment Intent, or returns the one that an identical earlier call created.
   *
   * Every attempt sends the same key and the same bytes, so a lost answer makes no second intent.
   *
   * @param params `amount` in minor units: 150000 is 1500.00 AMD.
   * @returns `intent` holds no secret and may be logged; `handoff` is for the paying browser alone.
   * @throws {TypeError} A field breaks its rule. Fix it; nothing was sent.
   * @throws {ApiError} The service refused. Read `code`; do not repeat unchanged unless `retryable`.
   * @throws {ConnectionError} No answer: see `outcome`. Call again with the same arguments.
   * @throws {IdempotencyConflictError} The given key was used with another body.
   * @throws {ContractError} The answer broke the specification. Hand out nothing.
   * @throws {AbortedError} The signal was aborted: see `outcome`.
   * @see Payment Intents specification, §4.1 and §4.3
   */
  async create(params: CreateParams, options: CreateOptions = {}): Promise<CreatedIntent> {
    const due = this.#due(options)
    const { namespace } = this.#options
    const { attempt, idempotencyKey } = options
    const prepared = await prepareCreate(params, { namespace, attempt, idempotencyKey })
    const call = createCall(this.#configured(), prepared)
    refuseAborted(call, options.signal)
    // One key in one process is one exchange. Another body under the same key goes its own way.
    const flight = `${prepared.key} ${prepared.bytes}`
    for (;;) {
      const known = this.#underway.get(flight)
      const shared = known?.stopped ? undefined : known
      const exchange = shared ?? this.#begin(flight, call, due)
      try {
        const { value, replayed } = await exchange.wait(due, options.signal)
        const { clientSecret, intent } = value
        return { intent: { ...intent }, handoff: maskedHandoff(intent.id, clientSecret), replayed }
      } catch (error) {
        // The deadline was that of the caller who began; this one has time left.
        const ended = error instanceof PiError && error.code === 'timed_out'
        if (!shared || !ended || this.#policy.clock() >= due) throw error
      }
    }
  }

  /**
   * Returns the key that `create` derives for these params, without sending anything.
   *
   * @throws {TypeError} A field breaks its rule.
   */
  async keyFor(
    params: CreateParams,
    options: Pick<CreateOptions, 'attempt'> = {},
  ): Promise<string> {
    const { namespace } = this.#options
    return idempotencyKey(params, { namespace, attempt: options.attempt })
  }

  /**
   * Checks, at startup, that the variables are set and well formed, that the service can be reached, and that it
   * accepts the key. Creates nothing.
   *
   * @returns `environment`: which one the key selects; `undefined` for a key of another form.
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
   * @throws {ApiError} If the service rejects the key, or is another one at this address.
   * @throws {ConnectionError} If the service cannot be reached.
   * @example
   * await intents.check() // before the server listens
   */
  async check(
    options: CallOptions = {},
  ): Promise<{ readonly environment: 'test' | 'live' | undefined }> {
    const { apiKey } = this.#configured()
    try {
      await this.retrieve('pi_check', options)
    } catch (error) {
      // No intent has this id: only a service that accepted the key says so.
      if (!(error instanceof PiError) || error.code !== 'payment_intent_not_found') throw error
    }
    const [, environment] = apiKeyPattern.exec(apiKey) ?? []
    return {
      environment: environment === 'test' || environment === 'live' ? environment : undefined,
    }
  }

  /**
   * Returns the Payment Intent as it is now.
   *
   * @param id Checked before anything is sent: `..` would walk up the path.
   * @throws {TypeError} The id is malformed. Nothing was sent.
   * @throws {ApiError} The service refused; `payment_intent_not_found` also for another merchant's.
   * @throws {ConnectionError} No answer. Call again.
   * @throws {ContractError} The answer broke the specification.
   * @throws {AbortedError} The signal was aborted.
   * @see Payment Intents specification, §4.2
   */
  async retrieve(id: string, options: CallOptions = {}): Promise<PaymentIntent> {
    return this.#retrieve(checkedId(id), this.#due(options), options.signal)
  }

  /**
   * Retrieves again and again, with growing waits, until `done` says so.
   *
   * @param options `deadline` covers the whole waiting; default: the client's.
   * @returns The intent that `done` accepted.
   * @throws {ConnectionError} `timed_out`: the deadline came first. Nothing is wrong with the intent.
   */
  async waitUntil(
    id: string,
    done: (intent: PaymentIntent) => boolean,
    options: CallOptions = {},
  ): Promise<PaymentIntent> {
    const due = this.#due(options)
    const { signal } = options
    const { clock, sleep } = this.#policy
    for (let wait = 500; ; wait = Math.min(wait * 1.5, 5_000)) {
      const intent = await this.#retrieve(checkedId(id), due, signal)
      if (done(intent)) return intent
      if (clock() + wait >= due) throw stillWaiting()
      await sleep(wait, signal ?? new AbortController().signal).catch((error: unknown) => {
        if (!signal?.aborted) throw error
      })
    }
  }

  async #retrieve(
    id: string,
    due: number,
    signal: AbortSignal | undefined,
  ): Promise<PaymentIntent> {
    const call = retrieveCall(this.#configured(), id)
    refuseAborted(call, signal)
    const { value } = await new Exchange(call, this.#policy, due).wait(due, signal)
    return value
  }

  #begin(flight: string, call: Call<Created>, due: number): Exchange<Created> {
    const exchange = new Exchange(call, this.#policy, due)
    this.#underway.set(flight, exchange)
    const land = (): void => {
      if (this.#underway.get(flight) === exchange) this.#underway.delete(flight)
    }
    void exchange.ended.then(land)
    return exchange
  }

  #configured(): Settings {
    const { apiKey, baseUrl } = this.#options
    this.#settings ??= {
      apiKey: apiKey ?? variableApiKey(),
      baseUrl: baseUrl === undefined ? variableBaseUrl() : checkedBaseUrl(baseUrl),
    }
    return this.#settings
  }

  #due({ deadline }: CallOptions): number {
    const ms = deadline === undefined ? this.#deadline : milliseconds('deadline', deadline)
    return this.#policy.clock() + ms
  }
}

function refuseAborted(call: Call<unknown>, signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new AbortedError(`${call.title} was aborted by its caller; nothing was sent`, {
    code: 'aborted',
    outcome: 'not_sent',
    retryable: true,
    attempts: [],
    idempotencyKey: call.idempotencyKey,
    cause: signal.reason,
  })
}

function stillWaiting(): ConnectionError {
  return new ConnectionError('waitUntil passed its deadline before the intent was as awaited', {
    code: 'timed_out',
    outcome: 'unknown',
    retryable: true,
    attempts: [],
  })
}
