/** One request with a time limit, which includes its body. @module */
import type { OrderRequest } from './fetch-status.ts'
import { ShopError } from './shop-error.ts'

/**
 * Returns the JSON of a response, `{}` if its body is something else.
 *
 * @param method - A GET has the order in its query, a POST in its body.
 * @param path - Resolved against the page's origin, because a `<base>` can be injected.
 * @throws {ShopError} If the response is an error, or a redirect to another page.
 * @throws {TypeError} If there is no response, or none in 20 seconds.
 * @throws The reason of `signal`, if it aborts.
 */
export async function requestJson(
  method: 'GET' | 'POST',
  path: string,
  { orderId, signal }: OrderRequest = {},
): Promise<Readonly<Record<string, unknown>>> {
  const url = new URL(path, location.origin)
  const isPost = method === 'POST'
  if (!isPost && orderId !== undefined) url.searchParams.set('orderId', orderId)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new TypeError('No response in 20 seconds')), 20_000)
  const end = AbortSignal.any(signal ? [signal, late.signal] : [late.signal])
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
        signal: end,
      })
    let response = await send()
    if (response.type === 'opaqueredirect') {
      // Some hosts redirect to the same path with, or without, a slash at its end.
      url.pathname = `${url.pathname}/`.replace(/\/\/$/, '')
      response = await send()
    }
    const body = await response.json().then(Object, (error) => {
      if (end.aborted) throw error
      return {}
    })
    // A redirect has the status 0.
    const status = response.status || 302
    const title = `The shop returned ${status} for ${url.pathname}`
    if (!response.ok) throw new ShopError(status, { title, ...body })
    return body
  } finally {
    clearTimeout(timer)
  }
}
