/**
 * From Node's request and response to the web's and back, before or after a body parser.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { problemResponse } from './handoff-problem.ts'
import { defaultBasePath, maxHandoffBody, routeOf } from './handoff-request.ts'
import { knownBody, type MissingBody, noteBody } from './known-body.ts'

/** A handoff whose hooks take this framework's request as their context. */
export type HandoffFor<Context> = (request: Request, context: Context) => Promise<Response>

/** A handoff that says which requests are its own. */
export interface RoutedHandoff<Context> {
  (request: Request, context: Context): Promise<Response>
  readonly basePath: string
}

/**
 * Returns whether a request is for one of the two handoff routes: its whole path is `{basePath}/handoff` or
 * `{basePath}/status`.
 *
 * @param basePath - The option of `createHandoff` of the same name.
 * @default basePath '/checkout'
 */
export function isHandoffRoute(
  request: IncomingMessage,
  basePath: string = defaultBasePath,
): boolean {
  return routeOf(askedUrl(request), basePath) !== undefined
}

/** What a body parser before us left behind, or `undefined`. */
export function keptBody(request: IncomingMessage): unknown {
  return 'body' in request ? request.body : undefined
}

/**
 * Has the handoff answer Node's request. A client that leaves in the middle gets a response, too: nothing reads it.
 *
 * @param options `kept`: what a body parser before us has read, or `undefined`.
 */
export async function askHandoff<Context>({
  handoff,
  request,
  kept,
  context,
}: {
  readonly handoff: HandoffFor<Context>
  readonly request: IncomingMessage
  readonly kept: unknown
  readonly context: Context
}): Promise<Response> {
  const asked = await toWebRequest(request, kept)
  // CONNECT and TRACE have no web request.
  return asked === undefined ? problemResponse('method_not_allowed') : handoff(asked, context)
}

/** Writes the answer, beside the cookies that others have set. */
export async function sendWebResponse(response: Response, to: ServerResponse): Promise<void> {
  // As text: Node writes it in one piece with the head.
  const known = knownBody(response)
  const body = typeof known === 'string' ? known : Buffer.from(await response.arrayBuffer())
  if (to.headersSent || to.destroyed) return // The buyer left, or somebody else has answered.
  to.statusCode = response.status
  for (const [name, value] of response.headers) {
    if (name !== 'set-cookie') to.setHeader(name, value)
  }
  for (const cookie of response.headers.getSetCookie()) to.appendHeader('set-cookie', cookie)
  to.setHeader('content-length', Buffer.byteLength(body))
  to.end(body)
}

/** @returns `undefined` for a method that web requests do not have. */
async function toWebRequest(request: IncomingMessage, kept: unknown): Promise<Request | undefined> {
  const { method = 'GET' } = request
  const bodyless = method === 'GET' || method === 'HEAD'
  const body = bodyless ? undefined : await readBody(request, kept)
  try {
    const asked = new Request(placedUrl(request), { method, headers: readHeaders(request) })
    return body === undefined ? asked : noteBody(asked, body)
  } catch {
    return undefined
  }
}

/** The whole path: routers that mount cut their own part off `url`. */
function askedUrl(request: IncomingMessage): string {
  const original = 'originalUrl' in request ? request.originalUrl : undefined
  return typeof original === 'string' ? original : (request.url ?? '/')
}

/** The host is a placeholder: nothing here may trust what a client calls this server. */
function placedUrl(request: IncomingMessage): string | URL {
  const asked = askedUrl(request)
  return asked.startsWith('/') ? `http://localhost${asked}` : new URL(asked, 'http://localhost')
}

function readHeaders({ rawHeaders }: IncomingMessage): [string, string][] {
  const headers: [string, string][] = []
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    // HTTP/2 has pseudo-headers such as `:path`, which a web request expresses otherwise.
    if (!name.startsWith(':')) headers.push([name, rawHeaders[at + 1] ?? ''])
  }
  return headers
}

async function readBody(request: IncomingMessage, kept: unknown): Promise<string | MissingBody> {
  if (request.readableDidRead || request.readableEnded) {
    return asText(kept) ?? { code: 'body_already_read' }
  }
  // A client that left before this listener was added sends no further event.
  if (request.destroyed) return { code: 'body_incomplete' }
  // Too much by its own account: the handler refuses it without a look.
  if (Number(request.headers['content-length'] ?? 0) > maxHandoffBody) return ''
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    const finish = (): void => {
      request.off('data', take)
      resolve(new TextDecoder().decode(Buffer.concat(chunks)))
    }
    const take = (chunk: Buffer): void => {
      chunks.push(chunk)
      size += chunk.byteLength
      // One byte over is enough for the handler to refuse it; the rest flows away unread.
      if (size > maxHandoffBody) {
        finish()
        request.resume()
      }
    }
    request.on('data', take).on('end', finish)
    // Both stay for as long as the request: an error that comes late would otherwise end the process.
    request.on('error', () => {}).on('close', () => resolve({ code: 'body_incomplete' }))
  })
}

function asText(body: unknown): string | undefined {
  if (body === undefined || typeof body === 'string') return body
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : JSON.stringify(body)
}
