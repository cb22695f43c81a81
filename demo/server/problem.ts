/** Errors that a client may see: an HTTP status, a code, and a text without any part of the request. @module */

const problems = {
  invalid_request: [400, 'That didn’t work', 'The shop could not read this request.'],
  unauthorized: [401, 'For the staff', 'npm start prints user and password.'],
  no_session: [403, 'The cart needs cookies', 'Allow cookies for this shop and try again.'],
  cross_origin: [403, 'That didn’t work', 'The request came from another site.'],
  not_found: [404, 'Page not found', 'There is no page at this address.'],
  order_not_found: [404, 'Order not found', 'This browser has no order with this number.'],
  rate_limited: [429, 'Too many attempts', 'Wait a few minutes, then try again.'],
  payment_unknown: [
    503,
    'Not possible right now',
    'We cannot see whether your payment was made. Try again in a moment.',
  ],
  internal_error: [500, 'Something went wrong', 'The shop had an error. Try again in a moment.'],
} as const

export class ShopProblem extends Error {
  override readonly name = 'ShopProblem'
  readonly code: keyof typeof problems

  constructor(code: keyof typeof problems) {
    super(code)
    this.code = code
  }
}

/** Returns an error as the client may see it. */
export function problemOf(error: unknown) {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  const isClients = status >= 400 && status < 500
  const unexpected = isClients ? 'invalid_request' : 'internal_error'
  const code = error instanceof ShopProblem ? error.code : unexpected
  const [httpStatus, title, text] = problems[code]
  return { code, status: httpStatus, title, text }
}
