/** The two operations as requests to send and responses to read. @module */
import { CreatedPaymentIntentSchema, PaymentIntentSchema } from '@pi-checkout/contract'
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { maxFieldErrors } from '@pi-checkout/contract/problem'
import { type Profile, translate } from '@pi-checkout/contract/profile'
import { headers, routes } from '@pi-checkout/contract/routes'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { z } from 'zod'
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
  settings: Settings,
  { body, bytes, key }: PreparedCreate,
): OperationRequest<CreatedPaymentIntent> {
  const { request, ...shared } = operationOf(settings, routes.create, {
    schema: CreatedPaymentIntentSchema,
    violationOf: (intent) => {
      if (!paymentIntentIdPattern.test(intent.id)) return 'its id is malformed'
      const fields = ['orderId', 'amount', 'currency'] as const
      const different = fields.find((field) => intent[field] !== body[field])
      return different && `it has another ${different}`
    },
  })
  const added = { [headers.contentType]: 'application/json', [headers.idempotencyKey]: key }
  const sent = { ...request, headers: { ...request.headers, ...added }, body: bytes }
  return { ...shared, request: sent, idempotencyKey: key }
}

/** Prepares a retrieve. Its response must be the same intent. */
export function retrieveRequest(settings: Settings, id: string): OperationRequest<PaymentIntent> {
  const { url, ...shared } = operationOf(settings, routes.retrieve, {
    schema: PaymentIntentSchema,
    violationOf: (intent) => (intent.id === id ? undefined : 'it is another intent'),
  })
  return { ...shared, url: url.replace(':id', id) }
}

function operationOf<T>(
  { apiKey, baseUrl, profile }: Settings,
  { operation, method, path }: (typeof routes)['create' | 'retrieve'],
  response: {
    readonly schema: z.ZodType<T>
    /** Returns how a valid response is not the expected one. */
    readonly violationOf: (intent: T) => string | undefined
  },
): OperationRequest<T> {
  const secrets = [apiKey]
  return {
    operation,
    title: `${method} ${path}`,
    url: baseUrl + path,
    request: { method, headers: { [headers.authorization]: `Bearer ${apiKey}` } },
    secrets,
    profile,
    read: (json, used) => {
      const read = response.schema.safeParse(translate(json, used))
      if (!read.success) return invalidFields(read.error.issues, secrets)
      const violation = response.violationOf(read.data)
      return violation === undefined ? { value: read.data } : { violation }
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
