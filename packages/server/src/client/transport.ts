/** What a transport sends and returns. @module */

/** A request, the same for every attempt. */
export interface TransportRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Sends a request once, as `fetch` does, and does not follow redirects. The signal closes the connection, also while the body
 * is read. It rejects if no response arrives: with `NotSent`, if no byte of the request was sent.
 */
export type Transport = (
  url: string,
  request: TransportRequest & { readonly signal: AbortSignal },
) => Promise<Response>

/** The connection failed before a byte of the request was sent. The reason is `cause`. */
export class NotSent extends Error {
  override readonly name = 'NotSent'

  constructor(cause: unknown) {
    super('the connection was not made', { cause })
  }
}

/** Returns the code of an error, or that of its nearest cause. */
export function transportCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return transportCode(error.cause, depth + 1)
}
