/** A request to the handoff's routes and its response, as plain data. Adapters convert both. @module */
import { problemMediaType } from '@pi-checkout/contract/problem'
import { readText } from '../client/read-text.ts'
import { type HandoffProblemCode, HandoffRejection, handoffProblems } from './problem.ts'

/** Maximum bytes of a body. */
export const maxHandoffBody = 4096

/** A request to one of the routes. */
export interface HandoffCall {
  readonly method: string
  /** Absolute, or the path and query as the server received them. */
  readonly url: string
  /** Returns a header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /**
   * Reads the body. More than `maxHandoffBody` bytes may be cut, but not to a valid length.
   *
   * @throws {HandoffRejection} If the body is incomplete, or was read before.
   */
  readonly body: () => Promise<string>
  /** Returns the request for the hooks. */
  readonly request: () => Request
}

/** A response. */
export interface HandoffResult {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Converts a Fetch API request. */
export function callFromRequest(request: Request): HandoffCall {
  return {
    method: request.method,
    url: request.url,
    header: (name) => request.headers.get(name) ?? undefined,
    body: async () => {
      if (request.bodyUsed) throw new HandoffRejection('body_already_read')
      if (!request.body) return ''
      const read = readText(request.body, maxHandoffBody)
      const text = await read.catch(() => {
        throw new HandoffRejection('body_incomplete')
      })
      if (text === undefined) throw new HandoffRejection('payload_too_large')
      return text
    },
    request: () => request,
  }
}

/** Returns the response of a code. */
export function problemResult(code: HandoffProblemCode, allow?: 'GET' | 'POST'): HandoffResult {
  const { status, title } = handoffProblems[code]
  const retryable = code === 'payment_unavailable'
  return {
    status,
    headers: [
      ['cache-control', 'no-store, private'],
      ['content-type', problemMediaType],
      ['x-content-type-options', 'nosniff'],
      ...(allow ? [['allow', allow] as const] : []),
    ],
    body: JSON.stringify({ type: 'about:blank', title, status, code, retryable }),
  }
}

/** Converts a result to a Fetch API response. */
export function toResponse({ status, headers, body }: HandoffResult): Response {
  return new Response(body, { status, headers: headers.map(([name, value]) => [name, value]) })
}
