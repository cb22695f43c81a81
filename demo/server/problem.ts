/**
 * What goes wrong, as an answer: a code for programs, a sentence for people, nothing of the request.
 *
 * @module
 */
import type { ErrorRequestHandler } from 'express'

const problems = {
  invalid_request: { status: 400, title: 'The request is not acceptable' },
  cart_empty: { status: 409, title: 'The cart is empty' },
  cart_changed: { status: 409, title: 'The cart was changed on another page' },
  payment_unknown: { status: 503, title: 'The result of an earlier payment is not known yet' },
  no_session: { status: 403, title: 'The shop needs its cookie' },
  forbidden: { status: 403, title: 'This needs the token that the shop printed at its start' },
  cross_origin: { status: 403, title: 'The request came from another site' },
  not_found: { status: 404, title: 'There is nothing at this address' },
  unsupported_media_type: { status: 415, title: 'The body is not application/json' },
  rate_limited: { status: 429, title: 'Too many requests' },
  sandbox_unavailable: { status: 503, title: 'The sandbox did not take the command' },
  internal_error: { status: 500, title: 'The shop failed' },
} as const

export type ShopProblemCode = keyof typeof problems

/** A refusal that the visitor may know of. */
export class ShopProblem extends Error {
  override readonly name = 'ShopProblem'
  readonly code: ShopProblemCode
  readonly detail: string | undefined

  constructor(code: ShopProblemCode, { detail, cause }: { detail?: string; cause?: unknown } = {}) {
    super(problems[code].title, { cause })
    this.code = code
    this.detail = detail
  }

  /** The answer's body (RFC 9457). */
  get body(): object {
    const { status, title } = problems[this.code]
    return { type: 'about:blank', title, status, code: this.code, detail: this.detail }
  }

  get status(): number {
    return problems[this.code].status
  }
}

/** Answers every error of the shop's routes; one that nobody expected is logged, here and once. */
export const answerProblem: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (res.headersSent) return next(error)
  const problem = asProblem(error)
  if (problem.code === 'internal_error') logFailure('a request failed', error)
  res.status(problem.status).type('application/problem+json').send(JSON.stringify(problem.body))
}

/** Writes one line on stderr. Of our errors and the helper's none holds a secret or a body. */
export function logFailure(event: string, error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error('not an Error')
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
  const place = stack?.split('\n').find((line) => line.startsWith('    at '))
  const line = { level: 'error', event, name, code, message: message.slice(0, 300), place }
  process.stderr.write(`${JSON.stringify(line)}\n`)
}

function asProblem(error: unknown): ShopProblem {
  if (error instanceof ShopProblem) return error
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new ShopProblem('invalid_request', { cause: error })
  }
  return new ShopProblem('internal_error', { cause: error })
}
