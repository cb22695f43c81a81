/** The client of the service. Its calls are safe to repeat. @module */
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { keyCheckId } from '@pi-checkout/contract/spec-decisions'
import { environmentOf } from './configuration.ts'
import type { CreateParams } from './create-params.ts'
import { ConfigurationError, PiError } from './errors.ts'
import { prepareCreate } from './idempotency-key.ts'
import { assertIntentId, createRequest, retrieveRequest } from './operations.ts'
import {
  checkedMilliseconds,
  type PaymentIntentsOptions,
  type Settings,
  settingsOf,
} from './options.ts'
import { masked } from './secrets.ts'
import { sendWithRetries } from './send-with-retries.ts'

/** Options of a call. */
export interface CallOptions {
  /**
   * Milliseconds for the call, including retries and the waits between them.
   * @default 30000
   */
  readonly totalTimeout?: number | undefined
}

/** Options of a create. */
export interface CreateOptions extends CallOptions {
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
  /** Whether an identical earlier call created the intent, or may have: not every service says so. */
  readonly replayed: boolean
}

/**
 * Creates and retrieves Payment Intents. Create one client and reuse it.
 *
 * @example
 * const intents = new PaymentIntents()
 */
export class PaymentIntents {
  readonly #settings: () => Settings
  /** Whether the responses are those of another service, as the option `translate` returns them. */
  readonly translates: boolean

  /**
   * A missing environment variable fails the first call, so that importing and building need none.
   *
   * @throws {TypeError} If an option is invalid, or if it runs in a browser.
   */
  constructor(options: PaymentIntentsOptions = {}) {
    if ('window' in globalThis && 'document' in globalThis) {
      throw new TypeError(
        'PaymentIntents: needs the secret API key and must not run in a browser. Use @pi-checkout/element there.',
      )
    }
    this.#settings = settingsOf(options)
    this.translates = options.translate !== undefined
  }

  /**
   * Creates a Payment Intent, or returns the existing one if an identical call created it before.
   *
   * All requests send the same idempotency key and the same bytes, so a retry never creates a second intent.
   *
   * @param params - `amount` is in minor units: 150000 is 1500.00 AMD.
   * @returns `intent`, which is safe to log, and `handoff`, which contains `clientSecret`: send it to the paying browser only.
   * @throws {TypeError} If a field is invalid. Nothing was sent.
   * @throws {PiError} If the service rejects the request, or no valid response arrives. `outcome` shows whether an intent may
   * exist, and `advice` what to do.
   * @example
   * const { intent, handoff } = await intents.create({ amount: 150000, currency: 'AMD', orderId: 'A-1001' })
   * @see Payment Intents specification, §4.1 and §4.3
   */
  async create(params: CreateParams, options: CreateOptions = {}): Promise<CreatedIntent> {
    const deadlineAt = deadlineOf(options)
    const settings = this.#settings()
    const { namespace } = settings
    const prepared = await prepareCreate(params, { namespace, attempt: options.attempt })
    const operation = createRequest(settings, prepared)
    const { value, replayed } = await sendWithRetries(operation, settings, deadlineAt)
    const { clientSecret, ...intent } = value
    return { intent, handoff: maskedHandoff(intent.id, clientSecret), replayed }
  }

  /**
   * Returns what separates the payments of merchants and environments: `test` or `live` and the id of the environment, as
   * the key names them, and the namespace. A rotated key and another address of the service have the same scope. For a key
   * of another form it is `namespace` and the namespace.
   *
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed, or a key of another form has no namespace.
   * @example
   * const text = await payments.load(intents.scope(), 'A-1001')
   */
  scope(): string {
    const { apiKey, namespace } = this.#settings()
    const environment = environmentOf(apiKey)
    if (environment) return [environment.mode, environment.id, namespace].filter(Boolean).join(' ')
    // No key of ours has a scope that begins with this word.
    if (namespace) return `namespace ${namespace}`
    throw new ConfigurationError(
      'namespace',
      "is required, because this API key names no environment. It separates the payments of merchants and environments. Name both, such as 'acme live'.",
    )
  }

  /**
   * Checks at startup that the variables are set and valid, that the service is reachable, and that it accepts the key.
   *
   * @throws {TypeError} If `PI_API_KEY` or `PI_BASE_URL` is missing or malformed.
   * @throws {PiError} If the service cannot be reached or rejects the key, or another server responds at this address.
   * @example
   * await intents.check() // before the server listens
   */
  async check(options: CallOptions = {}): Promise<void> {
    try {
      await this.retrieve(keyCheckId, options)
    } catch (error) {
      // No intent has this id. A service returns this code only after it accepted the key.
      if (!(error instanceof PiError) || error.code !== 'payment_intent_not_found') throw error
    }
  }

  /**
   * Returns the current Payment Intent.
   *
   * @param id - As `create()` returned it.
   * @throws {TypeError} If the id is malformed. Nothing was sent.
   * @throws {PiError} If the service rejects the request, with the code `payment_intent_not_found` also for another merchant's
   * intent; or if no valid response arrives.
   * @example
   * const { status } = await intents.retrieve(order.intentId)
   * @see Payment Intents specification, §4.2
   */
  async retrieve(id: string, options: CallOptions = {}): Promise<PaymentIntent> {
    const deadlineAt = deadlineOf(options)
    assertIntentId(id)
    const settings = this.#settings()
    const { value } = await sendWithRetries(retrieveRequest(settings, id), settings, deadlineAt)
    // The specification does not forbid the secret in this response.
    const { clientSecret: _, ...intent } = value as PaymentIntent & Partial<CreatedPaymentIntent>
    return intent
  }
}

function deadlineOf({ totalTimeout = 30_000 }: CallOptions): number {
  return performance.now() + checkedMilliseconds('totalTimeout', totalTimeout)
}

const inspect = Symbol.for('nodejs.util.inspect.custom')

/** Returns a handoff that `console.log` prints without its secret. */
function maskedHandoff(id: string, clientSecret: string): Handoff {
  const handoff = { id, clientSecret }
  Object.defineProperty(handoff, inspect, { value: () => ({ id, clientSecret: masked }) })
  return handoff
}
