/**
 * The same order and the same body always give the same key: after a crash, in a second tab, for ever.
 *
 * `key = UUIDv8(SHA-256(RFC 8785({ v: 1, op: "create", namespace, attempt, body })))`, pinned by
 * `idempotency-key.vectors.json`.
 *
 * @module
 */
import { CreatePaymentIntentSchema, fieldErrors } from '@pi-checkout/contract'
import type { Currency } from '@pi-checkout/contract/money'
import type { CreatePaymentIntent } from '@pi-checkout/contract/payment-intent'
import { limits } from '@pi-checkout/contract/spec-decisions'
import canonicalize from 'canonicalize'
import { sha256 } from './sha256.ts'

/** What an intent is made of. */
export interface CreateParams {
  /** Minor units, a positive integer: 150000 is 1500.00 AMD. */
  readonly amount: number
  /** One of the four codes; sent in upper case. */
  readonly currency: Currency | Lowercase<Currency>
  /** Yours, 1 to 32 characters. A UUID has 36: see `newOrderId()`. */
  readonly orderId: string
  readonly customer?:
    | {
        readonly id: string
        readonly email?: string | null | undefined
        readonly name?: string | null | undefined
      }
    | null
    | undefined
  /**
   * At most 50 strings for your reconciliation. Put nothing volatile here: a timestamp makes another
   * body, hence another key, hence a second intent.
   */
  readonly metadata?: Readonly<Record<string, string>> | null | undefined
}

/** What else the derived key depends on. */
export interface KeyOptions {
  /** Asks for a fresh intent for the same order on purpose. From 1, which is the default. */
  readonly attempt?: number | undefined
  /** Keeps shops apart whose order ids may collide under one API key. Default: the empty string. */
  readonly namespace?: string | undefined
}

/** A create that is ready to go: its bytes and its key. */
export interface PreparedCreate {
  readonly body: CreatePaymentIntent
  /** RFC 8785 text: equal bodies are equal bytes, whatever the order of their fields. */
  readonly bytes: string
  readonly key: string
}

/**
 * Returns the key that `create` derives for these params.
 *
 * @throws {TypeError} A field breaks its rule; the message names field, rule and fix.
 */
export async function idempotencyKey(
  params: CreateParams,
  options: KeyOptions = {},
): Promise<string> {
  return (await prepareCreate(params, options)).key
}

/**
 * Validates, serialises and derives, once per call.
 *
 * @param options With `idempotencyKey`, that key is taken instead of the derived one.
 */
export async function prepareCreate(
  params: CreateParams,
  options: KeyOptions & { readonly idempotencyKey?: string | undefined } = {},
): Promise<PreparedCreate> {
  const body = readParams(params)
  const bytes = canonicalText(body)
  if (options.idempotencyKey !== undefined) {
    return { body, bytes, key: checkedKey(options.idempotencyKey) }
  }
  const attempt = checkedAttempt(options.attempt ?? 1)
  const namespace = canonicalText(checkedNamespace(options.namespace ?? ''))
  // The names stand in the order of RFC 8785, so this is the canonical text of the whole object.
  const text = `{"attempt":${attempt},"body":${bytes},"namespace":${namespace},"op":"create","v":1}`
  return { body, bytes, key: uuid(await sha256(text)) }
}

function readParams(params: CreateParams): CreatePaymentIntent {
  const read = CreatePaymentIntentSchema.safeParse(params)
  if (read.success) return read.data
  throw new TypeError(
    fieldErrors(read.error, params)
      .errors.map(({ detail }) => detail)
      .join('; '),
  )
}

function canonicalText(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('body: must be JSON')
  return text
}

function checkedKey(key: string): string {
  if (
    typeof key !== 'string' ||
    !/^[\x21-\x7e]+$/.test(key) ||
    key.length > limits.idempotencyKey
  ) {
    throw new TypeError(
      `idempotencyKey: must be a string of 1 to ${limits.idempotencyKey} visible ASCII characters; leave it out to have it derived`,
    )
  }
  return key
}

function checkedAttempt(attempt: number): number {
  if (!Number.isSafeInteger(attempt) || attempt < 1) {
    throw new TypeError(
      'attempt: must be a whole number from 1; raise it by one for a fresh intent of the same order',
    )
  }
  return attempt
}

function checkedNamespace(namespace: string): string {
  if (typeof namespace !== 'string' || !namespace.isWellFormed()) {
    throw new TypeError('namespace: must be a string of well-formed text')
  }
  return namespace
}

/** @see RFC 9562, §5.8: the first 16 bytes, with 4 bits of version and 2 of variant put in. */
function uuid(digest: string): string {
  const variant = '89ab'.charAt(Number.parseInt(digest.charAt(16), 16) % 4)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(17, 20),
    digest.slice(20, 32),
  ].join('-')
}
