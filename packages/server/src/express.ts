/**
 * The handoff in Express 4 and 5, before or after a body parser.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  askHandoff,
  isHandoffRoute,
  keptBody,
  type RoutedHandoff,
  sendWebResponse,
} from './node-request.ts'

/**
 * Makes middleware of a handoff: `app.use('/checkout', toExpress(checkout))`.
 *
 * It handles `POST {basePath}/handoff` and `GET {basePath}/status` and passes every other path on, whatever part of
 * it the mount cuts off. Hooks get Express's own request as `context`.
 */
export function toExpress<Req extends IncomingMessage = IncomingMessage>(
  handoff: RoutedHandoff<Req>,
): (request: Req, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    if (!isHandoffRoute(request, handoff.basePath)) return next()
    askHandoff({ handoff, request, kept: keptBody(request), context: request })
      .then((answered) => sendWebResponse(answered, response))
      .catch(next)
  }
}
