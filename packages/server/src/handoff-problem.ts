/**
 * What a browser may learn of a failure: a code and a sentence, never a reason from inside.
 *
 * @module
 */
import { problemMediaType } from '@pi-checkout/contract/problem'
import { ApiError, PiError } from './errors.ts'

/** Every code that the handoff's routes answer with. */
export const handoffProblems = {
  malformed_json: { status: 400, title: 'The body must be {} or {"orderId": "…"}' },
  body_incomplete: { status: 400, title: 'The connection closed before the whole body arrived' },
  unknown_parameter: { status: 400, title: 'The body may hold orderId and nothing else' },
  origin_not_allowed: { status: 403, title: 'Only the shop’s own pages may ask' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  order_not_found: { status: 404, title: 'There is no such order in this session' },
  method_not_allowed: { status: 405, title: 'The method is not allowed here' },
  order_already_paid: { status: 409, title: 'The order is paid' },
  payload_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json' },
  internal_error: { status: 500, title: 'The shop could not prepare the payment' },
  body_already_read: {
    status: 500,
    title:
      'The body was read before the checkout handler and not kept in req.body: mount the handler earlier',
  },
  payment_refused: { status: 502, title: 'The payment could not be prepared' },
  payment_unavailable: { status: 503, title: 'The payment service is not available; try again' },
} as const satisfies Record<string, { readonly status: number; readonly title: string }>

export type HandoffProblemCode = keyof typeof handoffProblems

/** Ends a request with one of the codes. Not an error of ours: nobody needs to hear of it. */
export class HandoffRefusal extends Error {
  override readonly name = 'HandoffRefusal'
  readonly code: HandoffProblemCode
  readonly allow: string | undefined

  constructor(code: HandoffProblemCode, allow?: string) {
    super(handoffProblems[code].title)
    this.code = code
    this.allow = allow
  }
}

/** Sorts a failure into what the browser may know. */
export function publicCode(error: unknown): HandoffProblemCode {
  if (error instanceof HandoffRefusal) return error.code
  if (!(error instanceof PiError)) return 'internal_error'
  if (error.retryable) return 'payment_unavailable'
  return error instanceof ApiError && error.status === 401 ? 'internal_error' : 'payment_refused'
}

/** Writes the answer of a code. */
export function problemResponse(code: HandoffProblemCode, allow?: string): Response {
  const { status, title } = handoffProblems[code]
  const retryable = code === 'payment_unavailable'
  const body = { type: 'about:blank', title, status, code, retryable }
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      'cache-control': 'no-store, private',
      'content-type': problemMediaType,
      'x-content-type-options': 'nosniff',
      ...(allow ? { allow } : {}),
    },
  })
}
