/** The two operations as requests to send and responses to read. @module */
import { CreatedPaymentIntentSchema, PaymentIntentSchema } from '@pi-checkout/contract'
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { maxFieldErrors } from '@pi-checkout/contract/problem'
import { type Profile, translate } from '@pi-checkout/contract/profile'
import { headers, routes } from '@pi-checkout/contract/routes'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { Settings } from './configuration.ts'
import { invalidParam } from './errors.ts'
import type { PreparedCreate } from './idempotency-key.ts'
import { shorten } from './redact.ts'
import type { TransportRequest } from './transport.ts'

/** An operation, ready to send. Every request sends the same bytes. */
export interface OperationRequest<T> {
  readonly operation: 'create' | 'retrieve'
  /** Method and route, for messages. */
  readonly title: string
  readonly url: string
  readonly request: TransportRequest
  readonly idempotencyKey?: string
  /** Texts that no error may contain. */
  readonly secrets: readonly string[]
  /** The configured profile, if any. */
  readonly profile: Profile | undefined
  /** Reads a success with a profile, or returns how it violates the specification. */
  readonly read: (
    json: unknown,
    profile: Profile | undefined,
  ) => { readonly value: T } | { readonly violation: string }
}

/** Prepares a create. Its response must have the same order, amount, and currency. */
export function createRequest(
  { apiKey, baseUrl, profile }: Settings,
  { body, bytes, key }: PreparedCreate,
): OperationRequest<CreatedPaymentIntent> {
  const { method, path } = routes.create
  return {
    operation: 'create',
    title: `${method} ${path}`,
    url: baseUrl + path,
    request: {
      method,
      headers: {
        [headers.authorization]: `Bearer ${apiKey}`,
        [headers.contentType]: 'application/json',
        [headers.idempotencyKey]: key,
      },
      body: bytes,
    },
    idempotencyKey: key,
    secrets: [apiKey],
    profile,
    read: (json, used) => {
      const read = CreatedPaymentIntentSchema.safeParse(translate(json, used))
      if (!read.success) return invalidFields(read.error.issues, [apiKey])
      const { data: value } = read
      if (!paymentIntentIdPattern.test(value.id)) return { violation: 'its id is malformed' }
      const different = (['orderId', 'amount', 'currency'] as const).find(
        (field) => value[field] !== body[field],
      )
      if (different) return { violation: `it has another ${different}` }
      return { value }
    },
  }
}

/** Prepares a retrieve. */
export function retrieveRequest(
  { apiKey, baseUrl, profile }: Settings,
  id: string,
): OperationRequest<PaymentIntent> {
  const { method, path } = routes.retrieve
  return {
    operation: 'retrieve',
    title: `${method} ${path}`,
    url: baseUrl + path.replace(':id', id),
    request: { method, headers: { [headers.authorization]: `Bearer ${apiKey}` } },
    secrets: [apiKey],
    profile,
    read: (json, used) => {
      const read = PaymentIntentSchema.safeParse(translate(json, used))
      if (!read.success) return invalidFields(read.error.issues, [apiKey])
      if (read.data.id !== id) return { violation: 'it is another intent' }
      // The specification does not forbid the secret in this response.
      const { clientSecret: _, ...intent } = read.data as Partial<CreatedPaymentIntent> &
        PaymentIntent
      return { value: intent }
    },
  }
}

/**
 * Checks an id before it becomes a part of a path. Encoding does not help: `%2e%2e` is normalized too.
 *
 * @throws {InvalidParamsError} If it is malformed. Nothing was sent.
 */
export function assertIntentId(id: unknown): asserts id is string {
  if (typeof id === 'string' && paymentIntentIdPattern.test(id)) return
  throw invalidParam(
    'id',
    'must be the id of a Payment Intent as create() returned it: 1 to 128 letters, digits, _ or -.',
  )
}

/** Names up to 20 fields, not their values. Keys of objects are names that the service chose. */
function invalidFields(
  issues: readonly { readonly path: readonly PropertyKey[] }[],
  secrets: readonly string[],
): { readonly violation: string } {
  const fields = new Set(issues.map(({ path }) => path.map(String).join('.') || 'the whole body'))
  const named = [...fields].slice(0, maxFieldErrors).map((field) => shorten(field, { secrets }))
  const omitted = fields.size - named.length
  const rest = omitted === 0 ? '' : ` and ${omitted} more`
  return { violation: `it violates the specification in ${named.join(', ')}${rest}` }
}
