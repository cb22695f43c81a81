/** One request for the payment's phase. @module */
import { requestJson } from './request-json.ts'
import { ShopError, textOf } from './shop-error.ts'

const phases = ['open', 'processing', 'paid', 'failed', 'review', 'unknown'] as const

/**
 * What your status route returns. `review`: your shop must decide about a payment first. `unknown`: a payment has a status
 * that your server does not support.
 */
export type PaymentPhase = (typeof phases)[number]

/** The response of your status route. */
export interface PaymentStatus {
  readonly phase: PaymentPhase
  /** Why a payment failed, or is under review, such as `canceled`. */
  readonly reason?: string | undefined
  /** The order that the phase belongs to. */
  readonly orderId?: string | undefined
}

/** Order and signal of a request to your server. */
export interface OrderRequest {
  /**
   * The order, if the session can have several.
   *
   * @default The order that your `authorize` hook returns without an id
   */
  readonly orderId?: string | undefined
  /**
   * Aborts the request.
   *
   * @default none
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Requests the phase of an order's payment from your server, for `fetchStatus`.
 *
 * @param url - Your status route: a path, or an address of another origin that your server permits.
 * @param options - `orderId` and `signal`.
 * @throws {ShopError} If the response is no status.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * pay.fetchStatus = (options) => getStatus('https://api.shop.example/checkout/status', options)
 */
export async function getStatus(url: string, options?: OrderRequest): Promise<PaymentStatus> {
  return readStatus(await requestJson('GET', url, options))
}

/** @throws {ShopError} If a value is no status. */
export function readStatus(value: unknown): PaymentStatus {
  const { phase, reason, orderId } = Object(value) as Record<keyof PaymentStatus, unknown>
  const known = (phases as readonly unknown[]).includes(phase)
  if (!known) throw new ShopError(200, { title: 'The status has no phase' })
  return { phase: phase as PaymentPhase, reason: textOf(reason), orderId: textOf(orderId) }
}
