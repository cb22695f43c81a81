/** Converts requests of Node.js to calls, and results to its responses, before or after a body parser. @module */
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type HandoffCall,
  type HandoffResult,
  maxHandoffBody,
  problemResult,
} from '../handoff/call.ts'
import { type Respond, respond } from '../handoff/create-handoff.ts'
import { defaultBasePath, routeOf } from '../handoff/parse-request.ts'
import { HandoffRejection } from '../handoff/problem.ts'

/** A handoff whose hooks get the request of this framework as their context. */
export type HandoffFor<Context> = (request: Request, context: Context) => Promise<Response>

/** A handoff with its base path. */
export interface RoutedHandoff<Context> {
  (request: Request, context: Context): Promise<Response>
  readonly basePath: string
}

/**
 * Returns whether a request is for one of the two handoff routes: its whole path is `{basePath}/handoff` or
 * `{basePath}/status`.
 *
 * @param request - The request of Node.js, or of a framework that extends it.
 * @param basePath - The option of `createHandoff()`.
 * @default basePath '/checkout'
 * @example
 * if (isHandoffRoute(request)) return handleCheckout(request, response)
 */
export function isHandoffRoute(
  request: IncomingMessage,
  basePath: string = defaultBasePath,
): boolean {
  return routeOf(urlOf(request), basePath) !== undefined
}

/** Returns what a body parser stored in `request.body`, or `undefined`. */
export function parsedBody(request: IncomingMessage): unknown {
  return 'body' in request ? request.body : undefined
}

/**
 * Calls the handoff. A client that disconnects gets a response too, which is not sent.
 *
 * @param options - `parsed`: what a body parser read, or `undefined`.
 */
export async function respondToNode<Context>({
  handoff,
  request,
  parsed,
  context,
}: {
  readonly handoff: HandoffFor<Context> & { readonly [respond]?: Respond<Context> }
  readonly request: IncomingMessage
  readonly parsed: unknown
  readonly context: Context
}): Promise<HandoffResult> {
  const call = callFromNode(request, parsed)
  if (handoff[respond]) return handoff[respond](call, context)
  // A function around a handler gets a `Request`, which cannot have this method.
  if (call.method === 'TRACE') {
    return problemResult('method_not_allowed', /\/status(?:\?|$)/.test(call.url) ? 'GET' : 'POST')
  }
  try {
    const body = call.method === 'GET' || call.method === 'HEAD' ? null : await call.body()
    const response = await handoff(new Request(call.request(), { body }), context)
    return {
      status: response.status,
      headers: [...response.headers],
      body: await response.text(),
    }
  } catch (error) {
    if (error instanceof HandoffRejection) return problemResult(error.code)
    throw error
  }
}

/** Converts a request of Node.js. */
export function callFromNode(request: IncomingMessage, parsed: unknown): HandoffCall {
  const { method = 'GET', headers } = request
  const url = urlOf(request)
  return {
    method,
    url,
    header: (name) => {
      const value = headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    body: () => readBody(request, parsed),
    // The host is a placeholder, because a client chooses `Host`.
    request: () => new Request(`http://localhost${url}`, { method, headers: headersOf(request) }),
  }
}

/** Sends a result. Keeps cookies that other middleware set. */
export function sendResult(
  { status, headers, body }: HandoffResult,
  response: ServerResponse,
): void {
  // The client disconnected, or other middleware has responded.
  if (response.headersSent || response.destroyed) return
  response.statusCode = status
  for (const [name, value] of headers) {
    if (name === 'set-cookie') response.appendHeader(name, value)
    else response.setHeader(name, value)
  }
  response.setHeader('content-length', Buffer.byteLength(body))
  response.end(body)
}

/** Returns the whole path and query. Routers remove the part of a mount from `url`. */
function urlOf(request: IncomingMessage): string {
  const original = 'originalUrl' in request ? request.originalUrl : undefined
  const url = typeof original === 'string' ? original : (request.url ?? '/')
  return url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '')
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

async function readBody(request: IncomingMessage, parsed: unknown): Promise<string> {
  if (request.readableDidRead || request.readableEnded) {
    const text = textOf(parsed)
    if (text === undefined) throw new HandoffRejection('body_already_read')
    return text
  }
  // A client that disconnected before emits no further event.
  if (request.destroyed) throw new HandoffRejection('body_incomplete')
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      request.off('data', take)
      resolve(new TextDecoder().decode(Buffer.concat(chunks)))
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

function textOf(body: unknown): string | undefined {
  if (typeof body === 'string') return body
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : JSON.stringify(body)
}
