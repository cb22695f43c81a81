/** The handoff in Express 4 and 5, before or after a body parser. @module */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  isHandoffRoute,
  parsedBody,
  type RoutedHandoff,
  respondToNode,
  sendResult,
} from './node-call.ts'

/**
 * Returns middleware that handles `POST {basePath}/handoff` and `GET {basePath}/status`. It passes on every other path,
 * regardless of its mount. Hooks get the request of Express as `context`.
 *
 * @param handoff - From `createHandoff()`.
 * @example
 * app.use('/checkout', toExpress(checkout))
 */
export function toExpress<Req extends IncomingMessage = IncomingMessage>(
  handoff: RoutedHandoff<Req>,
): (request: Req, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    if (!isHandoffRoute(request, handoff.basePath)) return next()
    respondToNode({ handoff, request, parsed: parsedBody(request), context: request })
      .then((result) => sendResult(result, response))
      .catch(next)
  }
}
