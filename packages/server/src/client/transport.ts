/** What a transport sends and returns. @module */

/** A request, the same for every attempt. */
export interface TransportRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A response whose body was not read yet. */
export interface TransportResponse {
  readonly status: number
  /** Returns a header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** Reads the body; `undefined` if it is larger than `max` bytes. */
  readonly text: (max: number) => Promise<string | undefined>
}

/** A request in progress. */
export interface TransportCall {
  /** Rejects if no response arrives. */
  readonly response: Promise<TransportResponse>
  /** Closes the connection, also while the body is read. */
  readonly stop: () => void
}

/**
 * Sends a request once. Does not follow redirects.
 *
 * @throws {ConfigurationError} If an option of the client makes every request impossible.
 */
export type Transport = (url: string, request: TransportRequest) => TransportCall

/** The connection failed before a byte of the request was sent. The reason is `cause`. */
export class NotSent extends Error {
  override readonly name = 'NotSent'
  /** Whether the next request may get a connection. */
  readonly transient: boolean

  constructor(cause: unknown, { transient = true }: { readonly transient?: boolean } = {}) {
    super('the connection was not made', { cause })
    this.transient = transient
  }
}
