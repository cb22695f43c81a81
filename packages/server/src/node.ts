/**
 * The handoff in node:http, Nest, Fastify and Koa, before or after a body parser.
 *
 * The frameworks' types are described by the few members used here: none of them is imported.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { problemResponse } from './handoff-problem.ts'
import {
  askHandoff,
  type HandoffFor,
  isHandoffRoute,
  keptBody,
  type RoutedHandoff,
  sendWebResponse,
} from './node-request.ts'

export { isHandoffRoute } from './node-request.ts'

/**
 * Makes a listener for `node:http`, and a handler of a Nest controller: `listen(request, response)`.
 *
 * It responds to every request that it is given; ask `isHandoffRoute(request, basePath)` first where others share
 * the server. Hooks get Node's (in Nest, Express's) request as `context`.
 *
 * @returns A listener whose promise never rejects: `node:http` would end the process.
 */
export function toNode<Req extends IncomingMessage = IncomingMessage>(
  handoff: HandoffFor<Req>,
): (request: Req, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      const kept = keptBody(request)
      const answered = await askHandoff({ handoff, request, kept, context: request })
      await sendWebResponse(answered, response)
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: only a handoff that is not createHandoff's comes here.
      console.error('pi-checkout handoff:', error)
      await sendWebResponse(problemResponse('internal_error'), response)
    }
  }
}

/** What is used of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly body: unknown
}

/** What is used of a Fastify reply. */
export interface FastifyReplyLike {
  code(status: number): unknown
  header(name: string, value: string): unknown
  send(payload: string): unknown
}

/**
 * Makes a Fastify handler: `app.all('/checkout/*', toFastify(checkout))`.
 *
 * Hooks get Fastify's own request as `context`.
 */
export function toFastify<Req extends FastifyRequestLike = FastifyRequestLike>(
  handoff: HandoffFor<Req>,
): (request: Req, reply: FastifyReplyLike) => Promise<unknown> {
  return async (request, reply) => {
    const { raw, body: kept } = request
    const answered = await askHandoff({ handoff, request: raw, kept, context: request })
    reply.code(answered.status)
    // Fastify collects several Set-Cookie headers by itself.
    for (const [name, value] of answered.headers) reply.header(name, value)
    return reply.send(await answered.text())
  }
}

/** What is used of a Koa context. */
export interface KoaContextLike {
  readonly req: IncomingMessage
  readonly request: object
  status: number
  body: unknown
  append(name: string, value: string): void
  set(name: string, value: string): void
}

/**
 * Makes Koa middleware: `app.use(toKoa(checkout))`.
 *
 * It handles `POST {basePath}/handoff` and `GET {basePath}/status` and passes every other path on. Hooks get Koa's own
 * `ctx` as `context`.
 */
export function toKoa<Context extends KoaContextLike = KoaContextLike>(
  handoff: RoutedHandoff<Context>,
): (ctx: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (ctx, next) => {
    if (!isHandoffRoute(ctx.req, handoff.basePath)) {
      await next()
      return
    }
    const kept = 'body' in ctx.request ? ctx.request.body : undefined
    const answered = await askHandoff({ handoff, request: ctx.req, kept, context: ctx })
    ctx.status = answered.status
    for (const [name, value] of answered.headers) {
      if (name !== 'set-cookie') ctx.set(name, value)
    }
    for (const cookie of answered.headers.getSetCookie()) ctx.append('set-cookie', cookie)
    ctx.body = await answered.text()
  }
}
