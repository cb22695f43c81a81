/**
 * The checkout in node:http, Express, Nest, Fastify, and Koa, before or after a body parser.
 *
 * The types describe the few members that are used. No framework is imported.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { routeOf } from '../checkout/parse-request.ts'
import { HandoffRejection, problemResponse } from '../checkout/problem.ts'
import { type NodeRequest, requestOf } from './node-request.ts'

/** A checkout whose `authorize` hook gets the request of this framework as its context. */
export interface CheckoutFor<Context> {
  (request: Request, context: Context): Promise<Response>
  readonly basePath: string
}

/**
 * Returns a listener for `node:http` that is also middleware for Express and Nest. It handles the routes of the checkout
 * regardless of its mount, and passes every other path to `next`; without `next` it responds with a 404. `authorize` gets
 * the request as `context`.
 *
 * @param checkout - From `createCheckout()`.
 * @returns A listener whose promise does not reject: a rejection would end the process.
 * @example
 * app.use(toNode(checkout)) // Express, Nest
 * @example
 * createServer(toNode(checkout)).listen(3000)
 */
export function toNode<Req extends IncomingMessage = IncomingMessage>(
  checkout: CheckoutFor<Req>,
): (request: Req, response: ServerResponse, next?: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    const url = urlOf(request)
    if (next && !routeOf(url, checkout.basePath)) return next()
    const received = { message: request, url, parsed: request, context: request }
    await send(await respond(checkout, received), response)
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
 * Returns a Fastify handler. `authorize` gets the request of Fastify as `context`.
 *
 * @param checkout - From `createCheckout()`.
 * @example
 * app.all('/checkout/*', toFastify(checkout))
 */
export function toFastify<Req extends FastifyRequestLike = FastifyRequestLike>(
  checkout: CheckoutFor<Req>,
): (request: Req, reply: FastifyReplyLike) => Promise<unknown> {
  return async (context, reply) => {
    const { raw: message } = context
    const received = { message, url: urlOf(message), parsed: context, context }
    const response = await respond(checkout, received)
    reply.code(response.status)
    for (const [name, value] of response.headers) reply.header(name, value)
    return reply.send(await response.text())
  }
}

/** The used members of a Koa context. */
export interface KoaContextLike {
  readonly req: IncomingMessage
  readonly request: object
  readonly originalUrl: string
  status: number
  body: unknown
  set(name: string, value: string): void
}

/**
 * Returns Koa middleware that handles the routes of the checkout regardless of its mount, and passes on every other path. `authorize` gets `ctx` as `context`.
 *
 * @param checkout - From `createCheckout()`.
 * @example
 * app.use(toKoa(checkout))
 */
export function toKoa<Context extends KoaContextLike = KoaContextLike>(
  checkout: CheckoutFor<Context>,
): (ctx: Context, next: () => Promise<unknown>) => Promise<void> {
  return async (ctx, next) => {
    const url = urlOf(ctx)
    if (!routeOf(url, checkout.basePath)) {
      await next()
      return
    }
    const received = { message: ctx.req, url, parsed: ctx.request, context: ctx }
    const response = await respond(checkout, received)
    ctx.status = response.status
    for (const [name, value] of response.headers) ctx.set(name, value)
    ctx.body = await response.text()
  }
}

async function respond<Context>(
  checkout: CheckoutFor<Context>,
  { context, ...received }: NodeRequest & { readonly context: Context },
): Promise<Response> {
  try {
    return await checkout(requestOf(received), context)
  } catch (error) {
    if (error instanceof HandoffRejection) return problemResponse(error.code)
    logError(error)
    return problemResponse('internal_error')
  }
}

/** A checkout does not reject, but a function around it and patches of a response may. */
function logError(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: otherwise the shop would not see the cause.
  console.error('pi-checkout:', error)
}

/** Sends a response. Keeps headers that other middleware set. */
async function send(result: Response, response: ServerResponse): Promise<void> {
  try {
    const body = await result.text()
    // The client disconnected, or other middleware has responded.
    if (response.headersSent || response.destroyed) return
    response.statusCode = result.status
    for (const [name, value] of result.headers) response.setHeader(name, value)
    response.setHeader('content-length', Buffer.byteLength(body))
    response.end(body)
  } catch (error) {
    logError(error)
    response.destroy()
  }
}

/** Returns the whole path and query. Routers of Express remove the part of a mount from `url`. */
function urlOf(request: {
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
}): string {
  const { url = '/', originalUrl = url } = request
  return originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
}
