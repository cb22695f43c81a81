/** Shows errors as a page. Logs unexpected ones. @module */
import type { ErrorRequestHandler } from 'express'
import { ZodError } from 'zod'
import { logFailure } from './log.ts'
import { type ProblemCode, problems, ShopProblem } from './problem.ts'
import { sendPage } from './send-page.ts'
import type { Shop } from './shop.ts'
import { messagePage } from './views/message-page.ts'

export function errorHandler(shop: Shop): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error)
    const code = codeOf(error)
    if (!(error instanceof ShopProblem)) logFailure('a request failed', error)
    const [status, title, text] = problems[code]
    const page = messagePage({ title, text, picture: 'copper-jazve' })
    sendPage(shop, { req, res: res.status(status), page })
  }
}

function codeOf(error: unknown): ProblemCode {
  if (error instanceof ShopProblem) return error.code
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  // A form with other fields or values, or a request that Express cannot read.
  const isUnreadable = error instanceof ZodError || (status >= 400 && status < 500)
  return isUnreadable ? 'invalid_request' : 'internal_error'
}
