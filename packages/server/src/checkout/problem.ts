/** Errors that the handoff's routes return. A browser gets a code and a title, no internal reason. @module */
import type { HandoffProblemCode } from '@pi-checkout/contract/handoff-problem'
import { problemMediaType } from '@pi-checkout/contract/problem'
import { PiError } from '../client/errors.ts'
import { ShopError } from './shop-error.ts'

export const handoffProblems: Readonly<
  Record<HandoffProblemCode, { readonly status: number; readonly title: string }>
> = {
  malformed_json: { status: 400, title: 'The body must be {} or {"orderId": "…"}' },
  body_incomplete: { status: 400, title: 'The connection closed before the whole body arrived' },
  origin_not_allowed: { status: 403, title: 'Only pages of the shop may send this request' },
  not_found: { status: 404, title: 'This address does not exist' },
  order_not_found: { status: 404, title: 'This session has no such order' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  order_already_paid: { status: 409, title: 'The order is paid' },
  payment_in_progress: { status: 409, title: 'A payment for this order has no result yet' },
  payment_under_review: { status: 409, title: 'The shop must decide about a payment first' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  internal_error: { status: 500, title: 'The shop could not prepare the payment' },
  body_already_read: {
    status: 500,
    title:
      'The body was read, and req.body does not contain it. Mount the checkout handler earlier',
  },
  payment_refused: { status: 502, title: 'The payment could not be prepared' },
  payment_unavailable: { status: 503, title: 'The payment service is not available. Try again' },
}

export type { HandoffProblemCode }

/** A rejected request, as passed to `onError`. */
export class HandoffRejection extends Error {
  override readonly name = 'HandoffRejection'
  /** The problem's `code` in the response. */
  readonly code: HandoffProblemCode
  /** HTTP status of the response. */
  readonly status: number

  /** @param rule - What was expected, for the shop's log. The browser gets the title of the code. */
  constructor(
    code: HandoffProblemCode,
    rule: string = handoffProblems[code].title,
    cause?: unknown,
  ) {
    super(rule, cause === undefined ? undefined : { cause })
    this.code = code
    this.status = handoffProblems[code].status
  }
}

export function problemResponse(
  code: HandoffProblemCode,
  {
    allow,
    orderId,
  }: { readonly allow?: string | undefined; readonly orderId?: string | undefined } = {},
): Response {
  const { status, title } = handoffProblems[code]
  const retryable = code === 'payment_unavailable'
  const body = { type: 'about:blank', title, status, code, retryable, orderId }
  const response = jsonResponse(body, status, problemMediaType)
  if (allow !== undefined) response.headers.set('allow', allow)
  return response
}

/** Returns a response that nothing stores. */
export function jsonResponse(body: object, status = 200, type = 'application/json'): Response {
  const headers = {
    'cache-control': 'no-store, private',
    'content-type': type,
    'x-content-type-options': 'nosniff',
  }
  // Twice as fast as Response.json().
  return new Response(JSON.stringify(body), { status, headers })
}

/** Returns the code that the browser gets for an error. */
export function publicCode(error: unknown): HandoffProblemCode {
  if (error instanceof HandoffRejection) return error.code
  if (error instanceof ShopError) return 'payment_unavailable'
  if (!PiError.is(error)) return 'internal_error'
  if (error.retryable) return 'payment_unavailable'
  return error.status === 401 ? 'internal_error' : 'payment_refused'
}
