/** The two operations as requests to send and responses to read. @module */
import { CreatedPaymentIntentSchema, PaymentIntentSchema } from '@pi-checkout/contract'
import type { CreatedPaymentIntent, PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { headers, routes } from '@pi-checkout/contract/routes'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { z } from 'zod'
import { invalidParam } from './errors.ts'
import type { PreparedCreate } from './idempotency-key.ts'
import type { Settings } from './options.ts'
import type { TransportRequest } from './transport.ts'

/** An operation, ready to send. Every request sends the same bytes. */
export interface OperationRequest<T> {
  readonly operation: 'create' | 'retrieve'
  /** Method and route, for messages. */
  readonly title: string
  readonly url: string
  readonly request: TransportRequest
  readonly idempotencyKey?: string
  /** Reads a success in our form, or returns how it violates the specification. */
  readonly read: (intent: unknown) => { readonly value: T } | { readonly violation: string }
}

/** Prepares a create. Its response must have the same order, amount, and currency. */
export function createRequest(
  settings: Settings,
  { body, bytes, key }: PreparedCreate,
): OperationRequest<CreatedPaymentIntent> {
  const shared = operationOf(settings, routes.create, {
    schema: CreatedPaymentIntentSchema,
    violationOf: (intent) => {
      if (!paymentIntentIdPattern.test(intent.id)) return 'its id is malformed'
      const fields = ['orderId', 'amount', 'currency'] as const
      const different = fields.find((field) => intent[field] !== body[field])
      return different && `it has another ${different}`
    },
  })
  const own = { [headers.contentType]: 'application/json', [headers.idempotencyKey]: key }
  const request = { ...shared.request, headers: { ...shared.request.headers, ...own }, body: bytes }
  return { ...shared, request, idempotencyKey: key }
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
  { apiKey, baseUrl }: Settings,
  { operation, method, path }: (typeof routes)['create' | 'retrieve'],
  response: {
    readonly schema: z.ZodType<T>
    /** Returns how a valid response is not the expected one. */
    readonly violationOf: (intent: T) => string | undefined
  },
): OperationRequest<T> {
  return {
    operation,
    title: `${method} ${path}`,
    url: baseUrl + path,
    request: {
      method,
      headers: { accept: 'application/json', [headers.authorization]: `Bearer ${apiKey}` },
    },
    read: (intent) => {
      const read = response.schema.safeParse(intent)
      if (!read.success) return { violation: violationIn(read.error.issues) }
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

/** Names the invalid fields, not their values. The service chose the names in metadata. */
function violationIn(issues: readonly { readonly path: readonly PropertyKey[] }[]): string {
  const fields = issues.map(({ path }) =>
    path[0] === 'metadata' ? 'metadata' : path.map(String).join('.') || 'the whole body',
  )
  return `it violates the specification in ${[...new Set(fields)].join(', ')}`
}
