/** Errors as a page, or as a problem (RFC 9457) for a script. Logs unexpected ones. @module */
import type { ErrorRequestHandler } from 'express'
import { logFailure } from './log.ts'
import { problemOf } from './problem.ts'
import { sendPage } from './send-page.ts'
import type { Shop } from './shop.ts'
import { errorPage } from './views/message-page.ts'

export function errorHandler(shop: Shop): ErrorRequestHandler {
  return (error: unknown, req, res, next) => {
    if (res.headersSent) return next(error)
    const { code, status, title, text } = problemOf(error)
    if (code === 'internal_error') logFailure('a request failed', error)
    res.status(status)
    // What a page is at, is a page for any client. Scripts post without saying what they accept.
    const types = req.method === 'GET' ? ['html', 'json'] : ['json', 'html']
    if (req.accepts(types) === 'html') {
      return sendPage(shop, { req, res, page: errorPage({ title, text, status }) })
    }
    const problem = { type: 'about:blank', title, status, code }
    res.type('application/problem+json').send(JSON.stringify(problem))
  }
}
