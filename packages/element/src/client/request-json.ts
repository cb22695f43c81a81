/** One request with a time limit, which includes its body. @module */
import type { OrderRequest } from './fetch-status.ts'
import { ShopError } from './shop-error.ts'

/** Longest time that a request can take, in milliseconds. */
const requestTimeout = 20_000

interface JsonRequest extends OrderRequest {
  /** A GET has the order in its query, a POST in its body. */
  readonly method: 'GET' | 'POST'
}

/**
 * Returns the JSON of a response, `{}` if its body is something else.
 *
 * @param path - Resolved against the page's origin, because a `<base>` can be injected.
 * @throws {ShopError} If the response is an error, or a redirect to another page.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 */
export async function requestJson(
  path: string,
  { method, orderId, signal }: JsonRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(path, location.origin)
  const isPost = method === 'POST'
  if (!isPost && orderId !== undefined) url.searchParams.set('orderId', orderId)
  // Not `AbortSignal.any`, which Safari before 17.4 does not have.
  const end = new AbortController()
  const abort = (): void => end.abort(signal?.reason ?? new TypeError('No response in 20 seconds'))
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(abort, requestTimeout)
  try {
    const send = (): Promise<Response> =>
      fetch(url.href, {
        method,
        ...(isPost && {
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ orderId }),
        }),
        // Such as a sign-in page, which another request would get too. Its address may be another site's.
        redirect: 'manual',
        credentials: 'include',
        cache: 'no-store',
        signal: end.signal,
      })
    let response = await send()
    if (response.type === 'opaqueredirect') {
      // Some hosts redirect to the same path with, or without, a slash at its end.
      url.pathname = `${url.pathname}/`.replace(/\/\/$/, '')
      response = await send()
    }
    const json: unknown = await response.json().catch((error) => {
      if (end.signal.aborted) throw error
    })
    const body = Object(json)
    // A redirect has the status 0.
    if (!response.ok) throw new ShopError(response.status || 302, body)
    return body
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
