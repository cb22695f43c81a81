/** Errors as problem responses (RFC 9457): a code, a title, and no part of the request. @module */
import type { ErrorRequestHandler } from 'express'

const problems = {
  invalid_request: { status: 400, title: 'The request is invalid' },
  payment_unknown: { status: 503, title: 'The result of a payment is not known yet' },
  no_session: { status: 403, title: 'The request has no session cookie' },
  cross_origin: { status: 403, title: 'The request came from another site' },
  not_found: { status: 404, title: 'Not found' },
  order_not_found: { status: 404, title: 'This session has no such order' },
  unsupported_media_type: { status: 415, title: 'The body is neither a form nor application/json' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal_error: { status: 500, title: 'Internal error' },
} as const

export type ShopProblemCode = keyof typeof problems

/** An error that the client may see. */
export class ShopProblem extends Error {
  override readonly name = 'ShopProblem'
  readonly code: ShopProblemCode
  readonly detail: string | undefined

  constructor(code: ShopProblemCode, { detail, cause }: { detail?: string; cause?: unknown } = {}) {
    super(problems[code].title, { cause })
    this.code = code
    this.detail = detail
  }

  /** Body of the response (RFC 9457). */
  get body(): object {
    const { status, title } = problems[this.code]
    return { type: 'about:blank', title, status, code: this.code, detail: this.detail }
  }

  get status(): number {
    return problems[this.code].status
  }
}

/** Returns each error of the routes that no page opens as a problem. Logs unexpected ones. */
export const respondWithProblem: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (res.headersSent) return next(error)
  const problem = asProblem(error)
  if (problem.code === 'internal_error') logFailure('a request failed', error)
  res.status(problem.status).type('application/problem+json').send(JSON.stringify(problem.body))
}

/** Writes one line to stderr. Errors of the shop and the helper contain no secret and no body. */
export function logFailure(event: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error('not an Error')
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const place = stack?.split('\n').find((line) => line.startsWith('    at '))
  log('error', event, { name, code, message: message.slice(0, 300), place })
}

/** Writes one line to stderr. */
export function log(level: 'warn' | 'error', event: string, facts: object): void {
  process.stderr.write(`${JSON.stringify({ level, event, ...facts })}\n`)
}

/** Returns an error that the client may see. */
export function asProblem(error: unknown): ShopProblem {
  if (error instanceof ShopProblem) return error
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ShopProblem('invalid_request', { cause: error })
  }
  return new ShopProblem('internal_error', { cause: error })
}
