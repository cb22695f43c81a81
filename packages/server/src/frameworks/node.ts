/**
 * The checkout in node:http, Express, Nest, Fastify, and Koa, before or after a body parser.
 *
 * The types describe the few members that are used. No framework is imported.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { maxHandoffBody, routeOf } from '../checkout/parse-request.ts'
import { HandoffRejection, problemResponse } from '../checkout/problem.ts'

/** A checkout whose `authorize` hook gets the request of this framework as its context. */
export interface CheckoutFor<Context> {
  (request: Request, context: Context): Promise<Response>
  readonly basePath: string
}

/**
 * Returns a listener for `node:http` that is also middleware for Express and a handler for a Nest controller. It handles
 * the routes of the checkout regardless of its mount, and passes every other path to `next`; without `next` it responds
 * with a 404. `authorize` gets the request as `context`.
 *
 * @param checkout - From `createCheckout()`.
 * @returns A listener whose promise does not reject: a rejection would end the process.
 * @example
 * app.use(toNode(checkout)) // Express
 * @example
 * createServer(toNode(checkout)).listen(3000)
 */
export function toNode<Req extends IncomingMessage = IncomingMessage>(
  checkout: CheckoutFor<Req>,
): (request: Req, response: ServerResponse, next?: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    const url = urlOf(request)
    if (next && !routeOf(url, checkout.basePath)) return next()
    const parsed = 'body' in request ? request.body : undefined
    await send(await respond(checkout, { request, url, parsed, context: request }), response)
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
    const { raw: request, body: parsed } = context
    const response = await respond(checkout, { request, url: urlOf(request), parsed, context })
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
    const parsed = 'body' in ctx.request ? ctx.request.body : undefined
    const response = await respond(checkout, { request: ctx.req, url, parsed, context: ctx })
    ctx.status = response.status
    for (const [name, value] of response.headers) ctx.set(name, value)
    ctx.body = await response.text()
  }
}

interface Received<Context> {
  readonly request: IncomingMessage
  readonly url: string
  /** The body, if a body parser has read it. */
  readonly parsed: unknown
  readonly context: Context
}

async function respond<Context>(
  checkout: CheckoutFor<Context>,
  { request, url, parsed, context }: Received<Context>,
): Promise<Response> {
  try {
    return await checkout(requestOf(request, url, parsed), context)
  } catch (error) {
    if (error instanceof HandoffRejection) return problemResponse(error.code)
    // biome-ignore lint/suspicious/noConsole: a checkout does not reject, a function around it may.
    console.error('pi-checkout:', error)
    return problemResponse('internal_error')
  }
}

function requestOf(message: IncomingMessage, url: string, parsed: unknown): Request {
  const { method = 'GET' } = message
  // The Fetch API does not have these methods.
  if (/^(?:trace|connect|track)$/i.test(method)) throw new HandoffRejection('method_not_allowed')
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // The host is a placeholder, because a client chooses `Host`.
  return new Request(`http://localhost${url}`, {
    method,
    headers: headersOf(message),
    ...(hasBody ? { body: bodyOf(message, parsed), duplex: 'half' } : {}),
  })
}

/** Sends a response. Keeps headers that other middleware set. */
async function send(result: Response, response: ServerResponse): Promise<void> {
  const body = await result.text()
  // The client disconnected, or other middleware has responded.
  if (response.headersSent || response.destroyed) return
  response.statusCode = result.status
  for (const [name, value] of result.headers) {
    if (name === 'vary' || name === 'set-cookie') response.appendHeader(name, value)
    else response.setHeader(name, value)
  }
  if (result.status !== 204) response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
}

/** Returns the whole path and query. Routers of Express remove the part of a mount from `url`. */
function urlOf(request: {
  readonly url?: string | undefined
  readonly originalUrl?: string | undefined
}): string {
  const { url = '/', originalUrl = url } = request
  return originalUrl.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
}

function headersOf({ rawHeaders }: IncomingMessage): [string, string][] {
  const headers: [string, string][] = []
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    // HTTP/2 has pseudo-headers such as `:path`.
    if (!name.startsWith(':')) headers.push([name, rawHeaders[index + 1] ?? ''])
  }
  return headers
}

/** Reads the message only when the body is read: after the checks that need no body. */
function bodyOf(message: IncomingMessage, parsed: unknown): ReadableStream<Uint8Array> {
  return new ReadableStream(
    {
      pull: async (controller) => {
        controller.enqueue(await readBody(message, parsed))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

async function readBody(request: IncomingMessage, parsed: unknown): Promise<Uint8Array> {
  if (request.readableDidRead || request.readableEnded) {
    const bytes = bytesOf(parsed, request.headers['content-type'])
    if (bytes === undefined) throw new HandoffRejection('body_already_read')
    return bytes
  }
  // A client that disconnected before emits no further event.
  if (request.destroyed) throw new HandoffRejection('body_incomplete')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      request.off('data', take)
      resolve(Buffer.concat(chunks))
    }
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      size += chunk.byteLength
      // Enough to reject the body. The rest is discarded.
      if (size > maxHandoffBody) {
        finish()
        request.resume()
      }
    }
    request.on('data', take).on('end', finish)
    // Both stay as long as the request: a late error would otherwise end the process.
    request.on('error', () => {}).on('close', () => reject(new HandoffRejection('body_incomplete')))
    // Other middleware may have paused it.
    request.resume()
  })
}

function bytesOf(body: unknown, type = ''): Uint8Array | undefined {
  if (body instanceof Uint8Array) return body
  if (/^application\/x-www-form-urlencoded/i.test(type) && typeof body === 'object' && body) {
    return new TextEncoder().encode(String(new URLSearchParams({ ...body })))
  }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return text === undefined ? undefined : new TextEncoder().encode(text)
}
