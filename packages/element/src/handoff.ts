/** The id and client secret of one intent, as a page passes them to the element. @module */
import { paymentIntentIdPattern } from '@pi-checkout/contract/spec-decisions'
import type { PaymentStatus } from './client/fetch-status.ts'
import { textOf } from './client/shop-error.ts'

/** What the element mounts. */
export interface Handoff {
  /** Id of the Payment Intent. */
  readonly id: string
  /** Secret of that intent. */
  readonly clientSecret: string
}

/** What your server returns to the page: the response of `POST /checkout/handoff`. */
export interface OrderHandoff extends Handoff {
  /** The order that the intent pays for. */
  readonly orderId?: string | undefined
}

/** `orderId`: `order-id`, or the order that an earlier response has named. `signal` aborts when no longer needed. */
interface Request {
  readonly orderId: string | undefined
  readonly signal: AbortSignal
}

/** Requests a handoff from your server. An error with `retryable: false` has no "Try again". */
export type FetchHandoff = (request: Request) => Promise<OrderHandoff>

/** Requests the payment's phase from your server. An error with `retryable: false` ends the polling. */
export type FetchStatus = (request: Request) => Promise<PaymentStatus>

/**
 * Returns a copy of a handoff. The messages of its errors contain no value.
 *
 * @throws {TypeError} If id or secret is missing, the id has other characters than those of an intent, or the secret is a secret API key, which no browser may receive.
 */
export function readHandoff(value: unknown): OrderHandoff {
  const fields = Object(value) as { readonly [field in keyof OrderHandoff]?: unknown }
  const [id = '', clientSecret] = [textOf(fields.id), textOf(fields.clientSecret)]
  if (!paymentIntentIdPattern.test(id) || !clientSecret) {
    throw new TypeError('handoff: must have id and clientSecret unchanged')
  }
  if (clientSecret.startsWith('pi_sk_')) {
    throw new TypeError('clientSecret: must not be a secret API key')
  }
  return { id, clientSecret, orderId: textOf(fields.orderId) }
}
