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
  /** Whether the next request may get a connection. */
  readonly retryable: boolean

  constructor(cause: unknown, { retryable = true }: { readonly retryable?: boolean } = {}) {
    super('the connection was not made', { cause })
    this.retryable = retryable
  }
}

/** Returns the code of an error, or that of its nearest cause. */
export function transportCode(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error) || depth > 5) return undefined
  if ('code' in error && typeof error.code === 'string') return error.code
  return transportCode(error.cause, depth + 1)
}

// OpenSSL's verification errors and the host name check of Node.js.
const rejectedCertificate =
  /^(?:CERT_|UNABLE_TO_|ERR_TLS_CERT_|(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED)$)/

/** Returns whether the client rejected the service's certificate, which precedes every request. */
export function isRejectedCertificate(code: string): boolean {
  return rejectedCertificate.test(code)
}
