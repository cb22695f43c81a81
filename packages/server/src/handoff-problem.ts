/**
 * What a browser may learn of a failure: a code and a sentence, never a reason from inside.
 *
 * @module
 */
import { problemMediaType } from '@pi-checkout/contract/problem'
import { ApiError, PiError } from './errors.ts'
import { redact } from './mask.ts'

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

/** A request that the handoff's routes rejected before the service was asked. `onError` gets it. */
export class HandoffRejection extends Error {
  override readonly name = 'HandoffRejection'
  readonly code: HandoffProblemCode
  /** HTTP status of the response. */
  readonly status: number
  /** `X-Request-Id` of the request, if it carried one. */
  requestId: string | undefined

  /** @param rule What was expected and received, for the shop's log: the browser gets the code's title. */
  constructor(code: HandoffProblemCode, rule: string = handoffProblems[code].title) {
    super(rule)
    this.code = code
    this.status = handoffProblems[code].status
  }
}

/** Quotes a value of a request for a log: cut to 60 characters, without secrets. */
export function received(value: string | null | undefined): string {
  if (value === null || value === undefined) return 'received none'
  const text = redact(value, [])
  return `received ${JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)}`
}

/** Sorts a failure into what the browser may know. */
export function publicCode(error: unknown): HandoffProblemCode {
  if (error instanceof HandoffRejection) return error.code
  if (!(error instanceof PiError)) return 'internal_error'
  if (error.retryable) return 'payment_unavailable'
  return error instanceof ApiError && error.status === 401 ? 'internal_error' : 'payment_refused'
}

/** Writes the answer of a code. */
export function problemResponse(code: HandoffProblemCode, allow?: 'GET' | 'POST'): Response {
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
