/** Errors that a buyer may see: an HTTP status, a title, and a text without any part of the request. @module */

export const problems = {
  invalid_request: [400, 'That didn’t work', 'The shop could not read this request.'],
  unauthorized: [401, 'For the staff', 'npm start prints user and password.'],
  no_session: [403, 'The cart needs cookies', 'Allow cookies for this shop and try again.'],
  cross_origin: [403, 'That didn’t work', 'The request came from another site.'],
  not_found: [404, 'Page not found', 'There is no page at this address.'],
  order_not_found: [404, 'Order not found', 'This browser has no order with this number.'],
  payment_unknown: [
    503,
    'Not possible right now',
    'We cannot see whether your payment was made. Try again in a moment.',
  ],
  internal_error: [500, 'Something went wrong', 'The shop had an error. Try again in a moment.'],
} as const

export type ProblemCode = keyof typeof problems

export class ShopProblem extends Error {
  override readonly name = 'ShopProblem'
  readonly code: ProblemCode

  constructor(code: ProblemCode) {
    super(code)
    this.code = code
  }
}
