/** Requests to the shop's server: same origin, JSON, without a cache. @module */

/** The request failed. `status` is 0 if no response arrived. */
export class RequestError extends Error {
  override readonly name = 'RequestError'
  readonly status: number

  constructor(status: number) {
    super(`the shop returned ${status}`)
    this.status = status
  }
}

export interface RequestOptions {
  readonly method?: 'POST' | 'PUT'
  /** Sent as JSON. A request without a body is a GET. */
  readonly body?: object
}

/**
 * Sends a request and returns the JSON of its response.
 *
 * @throws {RequestError} If no response with a 2xx status arrives.
 */
export async function request<T>(path: string, options: RequestOptions = {}): Promise<T> {
  const { method = 'POST', body } = options
  const headers = body ? { 'content-type': 'application/json' } : {}
  const init: RequestInit = body ? { method, body: JSON.stringify(body) } : {}
  // A change completes even if the page is closed.
  const keepalive = method === 'PUT'
  const response = await fetch(path, { ...init, headers, keepalive, cache: 'no-store' }).catch(
    () => undefined,
  )
  if (!response?.ok) throw new RequestError(response?.status ?? 0)
  // The shop's own routes return the types of `server/page-data.ts`.
  return (response.status === 204 ? undefined : await response.json()) as T
}
