/**
 * What a way to the API is given and gives back: one request leaves, its answer comes in.
 *
 * @module
 */

/** A request, the same for every attempt. */
export interface Outgoing {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** An answer whose body is still to be read. */
export interface Reply {
  readonly status: number
  /** Reads a header by its name in lower case. */
  readonly header: (name: string) => string | undefined
  /**
   * Reads the body as text.
   *
   * @returns `undefined` when it has more than `max` bytes.
   */
  readonly text: (max: number) => Promise<string | undefined>
}

/** A request under way. */
export interface Sending {
  /** Rejects when no answer comes. */
  readonly reply: Promise<Reply>
  /** Gives the connection up, also while the body is read. */
  readonly stop: () => void
}

/** Sends once; never follows a redirect. */
export type Transport = (url: string, outgoing: Outgoing) => Sending
