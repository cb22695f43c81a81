/** One request with a time limit, which includes its body. @module */

/** Longest time that a request can take, in milliseconds. */
const requestTimeout = 20_000

/**
 * Returns the response and its JSON, `{}` if the body is something else.
 *
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 */
export async function requestJson(
  url: string,
  { signal, ...init }: Omit<RequestInit, 'signal'> & { signal: AbortSignal | undefined },
): Promise<{ readonly response: Response; readonly body: Readonly<Record<string, unknown>> }> {
  // Not `AbortSignal.any`, which Safari before 17.4 does not have.
  const end = new AbortController()
  const abort = (): void => end.abort(signal?.reason ?? new TypeError('No response in 20 seconds'))
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  const timer = setTimeout(abort, requestTimeout)
  try {
    // Your server may have another origin than the page.
    const credentials = 'include'
    const response = await fetch(url, {
      ...init,
      credentials,
      cache: 'no-store',
      signal: end.signal,
    })
    const body: unknown = await response.json().catch((error) => {
      if (end.signal.aborted) throw error
    })
    return { response, body: Object(body) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}
