/** One request with a time limit, which includes its body. @module */

/** Longest time that a request can take, in milliseconds. */
const requestTimeout = 20_000

interface JsonRequest {
  readonly query?: Readonly<Record<string, string>>
  /** Makes it a POST. */
  readonly post?: object
  readonly signal: AbortSignal | undefined
}

/** A response, and its JSON: `{}` if the body is something else. */
export interface JsonResponse {
  readonly ok: boolean
  /** HTTP status. `302` for a redirect that leads nowhere. */
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * Returns the response.
 *
 * @param path - Resolved against the page's origin, because a `<base>` can be injected.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 */
export async function requestJson(
  path: string,
  { query, post, signal }: JsonRequest,
): Promise<JsonResponse> {
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
    // Followed only to tell a path with another slash from a sign-in page, which a failed request would hide.
    if (response.type === 'opaqueredirect') {
      const followed = await send('follow').catch(() => undefined)
      if (!followed) return { ok: false, status: 302, body: {} }
      response = followed
    }
    const body: unknown = await response.json().catch((error) => {
      if (end.signal.aborted) throw error
    })
    return { ok: response.ok, status: response.status, body: Object(body) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
