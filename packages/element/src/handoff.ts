/** The id and client secret of one intent, as a page passes them to the element. @module */

/** What your server returns to the page: the response of `POST /checkout/handoff`. */
export interface Handoff {
  /** Id of the Payment Intent. */
  readonly id: string
  /** Secret of that intent. */
  readonly clientSecret: string
}

/** Requests a handoff from your server. `signal` aborts when the element no longer needs it. */
export type FetchHandoff = (options: { readonly signal: AbortSignal }) => Promise<Handoff>

/**
 * Returns a copy of a handoff. The messages of its errors contain no value.
 *
 * @throws {TypeError} If id or secret is missing, or the secret is a secret API key, which no browser may receive.
 */
export function readHandoff(value: unknown): Handoff {
  const { id, clientSecret } = Object(value) as { readonly [field in keyof Handoff]?: unknown }
  if (!isText(id) || !isText(clientSecret)) {
    throw new TypeError('handoff: must have id and clientSecret')
  }
  if (clientSecret.startsWith('pi_sk_')) {
    throw new TypeError('clientSecret: must not be a secret API key')
  }
  return { id, clientSecret }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
