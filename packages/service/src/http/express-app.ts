/**
 * An Express application as every listener wants it: strict, quiet, with one error middleware.
 *
 * @module
 */
import { headers } from '@pi-checkout/contract'
import express, { type Express } from 'express'
import type { Context } from '../context.ts'
import { ProblemError, sendProblem } from './problem.ts'
import { requestId } from './request-id.ts'

/** Returns an Express application with the settings and headers that both listeners share. */
export function bareApp(): Express {
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.use((_request, response, next) => {
    response.setHeader(headers.requestId, requestId(response))
    response.setHeader('x-content-type-options', 'nosniff')
    next()
  })
  // A browser asks for it on its own; a 404 would be an error in the console of every buyer.
  app.get('/favicon.ico', (_request, response) => {
    response.status(204).end()
  })
  return app
}

/** Adds the last two answers: 404, and the one error middleware. */
export function finished(app: Express, { log }: Context): Express {
  app.use(() => {
    throw new ProblemError('not_found', 'There is nothing at this address; see /docs.')
  })
  app.use(((error, request, response, _next) => {
    sendProblem(request, response, { error, log })
  }) satisfies express.ErrorRequestHandler)
  return app
}
