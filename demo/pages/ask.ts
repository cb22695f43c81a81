/**
 * The pages' only way to the shop's server: same origin, JSON, never from a cache.
 *
 * @module
 */

/** The server refused, or did not answer: then `status` is 0. */
export class AskError extends Error {
  override readonly name = 'AskError'
  readonly status: number

  constructor(status: number) {
    super(`the shop answered ${status}`)
    this.status = status
  }
}

export interface AskOptions {
  readonly method?: 'POST' | 'PUT'
  /** Sent as JSON; a request without one is a GET. */
  readonly body?: object
  /** Opens the back office. */
  readonly token?: string
}

/**
 * Asks the shop and returns what it says.
 *
 * @throws {AskError} Show it, and let the visitor try again.
 */
export async function ask<T>(path: string, options: AskOptions = {}): Promise<T> {
  const { method = 'POST', body, token } = options
  const headers = new Headers(token ? { authorization: `Bearer ${token}` } : {})
  if (body) headers.set('content-type', 'application/json')
  const init: RequestInit = body ? { method, body: JSON.stringify(body) } : {}
  // A change is finished even when the visitor is already on the way to the next page.
  const keepalive = method === 'PUT'
  const answer = await fetch(path, { ...init, headers, keepalive, cache: 'no-store' }).catch(
    () => undefined,
  )
  if (!answer?.ok) throw new AskError(answer?.status ?? 0)
  // The shop's own routes: their shape is that of `server/page-data.ts`.
  return (answer.status === 204 ? undefined : await answer.json()) as T
}
