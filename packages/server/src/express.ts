/**
 * The handoff in Express 4 and 5, before or after a body parser.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { problemResponse } from './handoff-problem.ts'
import { isHandoffRoute, keptBody, sendWebResponse, toWebRequest } from './node-request.ts'

/**
 * Makes middleware of a handoff: `app.use('/checkout', toExpress(checkout))`.
 *
 * It answers `POST …/handoff` and `GET …/status` and passes everything else on. Hooks get Express's
 * own request as `context`.
 */
export function toExpress<Req extends IncomingMessage = IncomingMessage>(
  handoff: (request: Request, context: Req) => Promise<Response>,
): (request: Req, response: ServerResponse, next: (error?: unknown) => void) => void {
  return (request, response, next) => {
    if (!isHandoffRoute(request)) return next()
    answer(handoff, request, response).catch(next)
  }
}

async function answer<Req extends IncomingMessage>(
  handoff: (request: Request, context: Req) => Promise<Response>,
  request: Req,
  response: ServerResponse,
): Promise<void> {
  const asked = await toWebRequest(request, keptBody(request))
  const answered =
    typeof asked === 'string' ? problemResponse(asked) : await handoff(asked, request)
  await sendWebResponse(answered, response)
}
