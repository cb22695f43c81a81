/**
 * The handoff in Express 4 and 5, before or after a body parser.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  askHandoff,
  type HandoffFor,
  isHandoffRoute,
  keptBody,
  sendWebResponse,
} from './node-request.ts'

/**
 * Makes middleware of a handoff: `app.use('/checkout', toExpress(checkout))`.
 *
 * It answers `POST …/handoff` and `GET …/status` and passes everything else on. Hooks get Express's
 * own request as `context`.
 */
export function toExpress<Req extends IncomingMessage = IncomingMessage>(
  handoff: HandoffFor<Req>,
): (request: Req, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    if (!isHandoffRoute(request)) return next()
    askHandoff({ handoff, request, kept: keptBody(request), context: request })
      .then((answered) => sendWebResponse(answered, response))
      .catch(next)
  }
}
