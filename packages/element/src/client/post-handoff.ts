/** The request for a handoff, for `fetchHandoff`. @module */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'
import type { Handoff } from '../handoff.ts'
import { requestJson } from './request-json.ts'

export type { HandoffProblemCode }

/** Options of `postHandoff`. `fetchHandoff` passes `signal`. */
export interface HandoffOptions {
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

/** Your server returned no handoff. The message is the title that it sent. */
export class HandoffError extends Error {
  override readonly name = 'HandoffError'

  /** Such as `order_already_paid`. `unknown` if the response has none. */
  readonly code: HandoffProblemCode | 'unknown' | (string & {})

  /** HTTP status of the response. */
  readonly status: number

  /** Whether the same request can succeed later: as the response says, else HTTP status 429, or 500 and above. */
  readonly retryable: boolean

  /**
   * Creates an error of a response.
   *
   * @param status - HTTP status.
   * @param problem - Body of the response.
   */
  constructor(
    status: number,
    { title, code, retryable }: { readonly [field in 'title' | 'code' | 'retryable']?: unknown },
  ) {
    super(typeof title === 'string' ? title : `The shop returned ${status}`)
    this.code = typeof code === 'string' ? code : 'unknown'
    this.status = status
    this.retryable = typeof retryable === 'boolean' ? retryable : status === 429 || status >= 500
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
  { orderId, signal }: HandoffOptions = {},
): Promise<Handoff> {
  const { response, body } = await requestJson(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ orderId }),
    signal,
  })
  if (!response.ok) throw new HandoffError(response.status, body)
  // The element checks both.
  return body as unknown as Handoff
}
