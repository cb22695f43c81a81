/** One request with a time limit, which includes its body. @module */

import { ShopError } from './shop-error.ts'

/** Longest time that a request can take, in milliseconds. */
const requestTimeout = 20_000

interface JsonRequest {
  readonly query?: Readonly<Record<string, string>>
  /** Makes it a POST. */
  readonly post?: object
  readonly signal: AbortSignal | undefined
}

/**
 * Returns the JSON of a response, `{}` if its body is something else.
 *
 * @param path - Resolved against the page's origin, because a `<base>` can be injected.
 * @throws {ShopError} If the response is an error, or redirects to another site.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 */
export async function requestJson(
  path: string,
  { query, post, signal }: JsonRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(path, location.origin)
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
  // Not `AbortSignal.any`, which Safari before 17.4 does not have.
  const end = new AbortController()
  const abort = (): void => end.abort(signal?.reason ?? new TypeError('No response in 20 seconds'))
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(abort, requestTimeout)
  const send = (redirect: RequestRedirect): Promise<Response> =>
    fetch(url.href, {
      ...(post && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(post),
      }),
      redirect,
      // Your server may have another origin than the page, but none that a redirect names.
      mode: url.origin === location.origin ? 'same-origin' : 'cors',
      credentials: 'include',
      cache: 'no-store',
      signal: end.signal,
    })
  try {
    let response = await send('manual')
    // A sign-in page of another site fails like a network, which would be asked again.
    if (response.type === 'opaqueredirect') {
      response = await send('follow').catch(() => {
        throw new ShopError(302, {})
      })
    }
    const json: unknown = await response.json().catch((error) => {
      if (end.signal.aborted) throw error
    })
    const body = Object(json)
    if (!response.ok) throw new ShopError(response.status, body)
    return body
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
