/**
 * An Express application as every listener wants it: strict, quiet, with one error middleware.
 *
 * @module
 */
import { headers } from '@pi-checkout/contract'
import express, { type Express } from 'express'
import type { Context } from '../context.ts'
import { only } from './method-not-allowed.ts'
import { ProblemError, sendProblem } from './problem.ts'
import { requestId } from './request-id.ts'
import { transportHeaders } from './strict-transport.ts'

/**
 * Returns an Express application with the settings and headers that both listeners share.
 *
 * @param origin Of the listener, as browsers see it.
 */
export function bareApp(origin: string): Express {
  const fixed = Object.entries({
    'x-content-type-options': 'nosniff',
    ...transportHeaders(origin),
  })
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use((_request, response, next) => {
    response.setHeader(headers.requestId, requestId(response))
    for (const [name, value] of fixed) response.setHeader(name, value)
    next()
  })
  // A browser asks for it on its own; a 404 would be an error in the console of every buyer.
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).end()
  })
  app.all('/favicon.ico', only('GET, HEAD'))
  return app
}

/** Adds the last two answers: 404, and the one error middleware. */
export function finished(app: Express, { log }: Context): Express {
  app.use(() => {
    throw new ProblemError('not_found', 'There is nothing at this address; see /docs.')
  })
  app.use(((error, request, response, _next) => {
    sendProblem(request, response, { error: refusalOf(error), log })
  }) satisfies express.ErrorRequestHandler)
  return app
}

/** Express and its parsers refuse with errors of their own: what the request did is no failure of ours. */
function refusalOf(error: unknown): unknown {
  const status = error instanceof Error && 'status' in error ? error.status : undefined
  if (error instanceof ProblemError || typeof status !== 'number' || status >= 500) return error
  if (error instanceof URIError) {
    return new ProblemError('not_found', 'The address holds a percent sign that encodes nothing.')
  }
  if (status === 413) return new ProblemError('payload_too_large', 'The body is too large.')
  if (status === 415) {
    return new ProblemError(
      'unsupported_media_type',
      'Send the body uncompressed, in UTF-8 and under its own Content-Type.',
    )
  }
  return new ProblemError('invalid_body', 'The body cannot be read.')
}
