/**
 * The handoff in node:http, Nest, Fastify, and Koa, before or after a body parser.
 *
 * The types describe the few members that are used. No framework is imported.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { problemResult } from '../handoff/call.ts'
import {
  type HandoffFor,
  isHandoffRoute,
  parsedBody,
  type RoutedHandoff,
  respondToNode,
  sendResult,
} from './node-call.ts'

export { isHandoffRoute } from './node-call.ts'

/**
 * Returns a listener for `node:http`, which is also a handler for a Nest controller. It responds to every request: on a
 * shared server, check `isHandoffRoute(request, basePath)` first. Hooks get the request of Node.js (in Nest, of Express)
 * as `context`.
 *
 * @param handoff - From `createHandoff()`.
 * @returns A listener whose promise does not reject: a rejection would end the process.
 * @example
 * createServer(toNode(checkout)).listen(3000)
 */
export function toNode<Req extends IncomingMessage = IncomingMessage>(
  handoff: HandoffFor<Req>,
): (request: Req, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    try {
      const parsed = parsedBody(request)
      sendResult(await respondToNode({ handoff, request, parsed, context: request }), response)
    } catch (error) {
      // biome-ignore lint/suspicious/noConsole: createHandoff() does not reject, a function around it may.
      console.error('pi-checkout handoff:', error)
      sendResult(problemResult('internal_error'), response)
    }
  }
}

/** The used members of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage
  readonly body: unknown
}

/** The used members of a Fastify reply. */
export interface FastifyReplyLike {
  code(status: number): unknown
  header(name: string, value: string): unknown
  send(payload: string): unknown
}

/**
 * Returns a Fastify handler. Hooks get the request of Fastify as `context`.
 *
 * @param handoff - From `createHandoff()`.
 * @example
 * app.all('/checkout/*', toFastify(checkout))
 */
export function toFastify<Req extends FastifyRequestLike = FastifyRequestLike>(
  handoff: HandoffFor<Req>,
): (request: Req, reply: FastifyReplyLike) => Promise<unknown> {
  return async (request, reply) => {
    const { raw, body: parsed } = request
    const result = await respondToNode({ handoff, request: raw, parsed, context: request })
    reply.code(result.status)
    // Fastify appends Set-Cookie.
    for (const [name, value] of result.headers) reply.header(name, value)
    return reply.send(result.body)
  }
}

/** The used members of a Koa context. */
export interface KoaContextLike {
  readonly req: IncomingMessage
  readonly request: object
  status: number
  body: unknown
  append(name: string, value: string): void
  set(name: string, value: string): void
}

/**
 * Returns Koa middleware that handles `POST {basePath}/handoff` and `GET {basePath}/status`, and passes on every other
 * path. Hooks get `ctx` as `context`.
 *
 * @param handoff - From `createHandoff()`.
 * @example
 * app.use(toKoa(checkout))
 */
export function toKoa<Context extends KoaContextLike = KoaContextLike>(
  handoff: RoutedHandoff<Context>,
): (ctx: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (ctx, next) => {
    if (!isHandoffRoute(ctx.req, handoff.basePath)) {
      await next()
      return
    }
    const parsed = 'body' in ctx.request ? ctx.request.body : undefined
    const result = await respondToNode({ handoff, request: ctx.req, parsed, context: ctx })
    ctx.status = result.status
    for (const [name, value] of result.headers) {
      if (name === 'set-cookie') ctx.append(name, value)
      else ctx.set(name, value)
    }
    ctx.body = result.body
  }
}
