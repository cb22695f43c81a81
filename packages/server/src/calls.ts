/**
 * The two operations as requests to send and answers to read.
 *
 * @module
 */
import { CreatedPaymentIntentSchema, PaymentIntentSchema } from '@pi-checkout/contract'
import type { PaymentIntent } from '@pi-checkout/contract/payment-intent'
import { headers, routes } from '@pi-checkout/contract/routes'
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { Call } from './answer.ts'
import type { Settings } from './configuration.ts'
import type { PreparedCreate } from './idempotency-key.ts'

/** A create's answer, its two halves apart. */
export interface Created {
  readonly intent: PaymentIntent
  readonly clientSecret: string
}

/** Prepares a create. Its answer counts only when it is about the same order and the same money. */
export function createCall(settings: Settings, prepared: PreparedCreate): Call<Created> {
  const { method, path } = routes.create
  return {
    operation: 'create',
    title: `${method} ${path}`,
    url: settings.baseUrl + path,
    outgoing: {
      method,
      headers: {
        [headers.authorization]: `Bearer ${settings.apiKey}`,
        [headers.contentType]: 'application/json',
        [headers.idempotencyKey]: prepared.key,
      },
      body: prepared.bytes,
    },
    idempotencyKey: prepared.key,
    secrets: [settings.apiKey],
    read: (json) => {
      const read = CreatedPaymentIntentSchema.safeParse(json)
      if (!read.success) return { broken: broken(read.error.issues) }
      const { clientSecret, ...intent } = read.data
      const { amount, currency, orderId } = prepared.body
      if (!paymentIntentIdPattern.test(intent.id)) return { broken: 'its id is not an identifier' }
      if (intent.orderId !== orderId) return { broken: 'it is about another orderId' }
      if (intent.amount !== amount) return { broken: 'it is about another amount' }
      if (intent.currency !== currency) return { broken: 'it is about another currency' }
      return { value: { intent, clientSecret } }
    },
  }
}

/** Prepares a retrieve of a checked id. */
export function retrieveCall(settings: Settings, id: string): Call<PaymentIntent> {
  const { method, path } = routes.retrieve
  return {
    operation: 'retrieve',
    title: `${method} ${path}`,
    url: settings.baseUrl + path.replace(':id', id),
    outgoing: { method, headers: { [headers.authorization]: `Bearer ${settings.apiKey}` } },
    secrets: [settings.apiKey],
    read: (json) => {
      const read = PaymentIntentSchema.safeParse(json)
      if (!read.success) return { broken: broken(read.error.issues) }
      if (read.data.id !== id) return { broken: 'it is about another intent' }
      // The specification leaves open whether a retrieve repeats the secret; here it never passes.
      const { clientSecret: _, ...intent } = read.data
      // The rest keeps its shape; the type of an open object cannot say so.
      return { value: intent as PaymentIntent }
    },
  }
}

/**
 * Refuses an id that would walk elsewhere: encoding does not help, because `..` is normalised.
 *
 * @throws {TypeError} It is not of the form that the service gives. Nothing was sent.
 */
export function checkedId(id: string): string {
  if (typeof id === 'string' && paymentIntentIdPattern.test(id)) return id
  throw new TypeError(
    'id: must be the id of a Payment Intent as create() returned it: 1 to 128 letters, digits, _ or -',
  )
}

/** Names the fields, never their values. */
function broken(issues: readonly { readonly path: readonly PropertyKey[] }[]): string {
  const fields = new Set(issues.map(({ path }) => path.map(String).join('.') || 'the whole body'))
  return `it breaks the specification in ${[...fields].join(', ')}`
}
