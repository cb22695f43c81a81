/** The request for a handoff, for `fetchHandoff`. @module */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'
import type { OrderHandoff } from '../handoff.ts'
import type { OrderRequest } from './fetch-status.ts'
import { requestJson } from './request-json.ts'

export type { HandoffProblemCode }

/** Your server returned no handoff. The message is the title that it sent. */
export class HandoffError extends Error {
  override readonly name = 'HandoffError'

  /** Such as `order_already_paid`. `unknown` if the response has none. */
  readonly code: HandoffProblemCode | 'unknown' | (string & {})

  /** HTTP status of the response. */
  readonly status: number

  /** Whether the same request can succeed later: as the response says, else HTTP status 429, or 500 and above. */
  readonly retryable: boolean

  /** The order that the response names. */
  readonly orderId: string | undefined

  /**
   * Creates an error of a response.
   *
   * @param status - HTTP status.
   * @param problem - Body of the response.
   */
  constructor(
    status: number,
    {
      title,
      code,
      retryable,
      orderId,
    }: { readonly [field in 'title' | 'code' | 'retryable' | 'orderId']?: unknown },
  ) {
    super(typeof title === 'string' ? title : `The shop returned ${status}`)
    this.code = typeof code === 'string' ? code : 'unknown'
    this.status = status
    this.retryable = typeof retryable === 'boolean' ? retryable : status === 429 || status >= 500
    this.orderId = typeof orderId === 'string' ? orderId : undefined
  }
}

/**
 * Requests the handoff from your server.
 *
 * @param url - Your handoff route: a path, or an address of another origin that your server permits.
 * @param options - `orderId` and `signal`.
 * @throws {HandoffError} If the server returns an error.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 * @example
 * pay.fetchHandoff = (options) => postHandoff('/checkout/handoff', options)
 */
export async function postHandoff(
  url: string,
  { orderId, signal }: OrderRequest = {},
): Promise<OrderHandoff> {
  const { ok, status, body } = await requestJson(url, { post: { orderId }, signal })
  if (!ok) throw new HandoffError(status, body)
  // The element checks all three.
  return body as unknown as OrderHandoff
}
