// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  followPayment,
  getStatus,
  type OrderRequest,
  type PaymentPhase,
  postHandoff,
  ShopError,
} from '../src/client/index.ts'

type Given = readonly (PaymentPhase | number | Error)[]

/** Responses in turn: a phase, an HTTP status, or a failed request. The last one repeats. */
let responses: Given = []
let requests: { readonly url: string; readonly at: number; readonly init: RequestInit }[] = []

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  requests = []
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    requests.push({ url, at: performance.now(), init })
    const response = responses[requests.length - 1] ?? responses.at(-1)
    if (response instanceof Error) throw response
    if (typeof response === 'number') return new Response('<!doctype html>', { status: response })
    return Response.json({ phase: response })
  })
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  hide(false)
})

function hide(hidden: boolean): void {
  Object.defineProperty(document, 'hidden', { value: hidden, configurable: true })
  document.dispatchEvent(new Event('visibilitychange'))
}

/** Follows until the end. */
async function follow(given: Given, options?: OrderRequest): Promise<PaymentPhase> {
  responses = given
  const followed = followPayment('/checkout/status', options)
  followed.catch(() => {})
  await vi.runAllTimersAsync()
  return followed
}

test.each<[Given, PaymentPhase, number]>([
  [['paid'], 'paid', 1],
  [['failed'], 'failed', 1],
  [['open', 'review'], 'review', 2],
  [['open', 'processing', 'unknown', 'paid'], 'paid', 4],
  [[new TypeError('offline'), 500, 429, 'paid'], 'paid', 4],
])('follows %s to %s', async (given, phase, count) => {
  expect(await follow(given)).toBe(phase)
  expect(requests.map(({ url }) => url)).toEqual(
    Array(count).fill(`${location.origin}/checkout/status`),
  )
  // With the session's cookies, also to another origin.
  expect(requests[0]?.init).toMatchObject({ cache: 'no-store', credentials: 'include' })
})

test.each<[Given, number]>([
  [[401], 401],
  [[403], 403],
  [[404], 404],
  [[410], 410],
  [[200], 200],
  [['shipped' as PaymentPhase], 200],
  [['processing', 404], 404],
])('ends with an error for %j, which another request would get too', async (given, status) => {
  const error = await follow(given).catch((reason) => reason)
  expect(error).toBeInstanceOf(ShopError)
  expect(error).toMatchObject({ status, retryable: false })
  expect(requests).toHaveLength(given.length)
})

/** A host that redirects each path except one. What a browser returns of a redirect has no address. */
function redirectAllBut(path: string): void {
  vi.stubGlobal('fetch', async (url: string, { redirect }: RequestInit) => {
    requests.push({ url: url.slice(location.origin.length), at: 0, init: {} })
    if (requests.at(-1)?.url === path) return Response.json({ phase: 'paid' })
    const type = redirect === 'manual' && 'opaqueredirect'
    return { type, ok: false, status: 0, json: () => Promise.reject(new SyntaxError()) }
  })
}

test.each([
  ['/checkout/status', '/checkout/status/'],
  ['/checkout/status/', '/checkout/status'],
  ['/checkout/status?shop=1', '/checkout/status/?shop=1'],
])('finds %s at %s, to which a host redirects', async (path, other) => {
  redirectAllBut(other)
  expect(await followPayment(path)).toBe('paid')
  expect(requests.map(({ url }) => url)).toEqual([path, other])
})

test('another redirect, as to a sign-in page, ends with an error, and is not followed', async () => {
  redirectAllBut('/sign-in')
  const error = { status: 302, retryable: false }
  await expect(followPayment('/checkout/status')).rejects.toMatchObject(error)
  expect(requests).toHaveLength(2)
})

test('asks for an order, and reads only what a status has', async () => {
  responses = ['paid']
  const status = await getStatus('/checkout/status', { orderId: 'A-1&x' })
  expect(status).toEqual({ phase: 'paid' })
  expect(requests[0]?.url).toBe(`${location.origin}/checkout/status?orderId=A-1%26x`)
})

test('resolves paths against the origin, not against a base that was injected', async () => {
  document.head.append(
    Object.assign(document.createElement('base'), { href: 'https://evil.example/' }),
  )
  responses = ['paid']
  await postHandoff('/checkout/handoff')
  await followPayment('checkout/status')
  document.head.replaceChildren()
  const paths = ['/checkout/handoff', '/checkout/status']
  expect(requests.map(({ url }) => url)).toEqual(paths.map((path) => location.origin + path))
})

test('waits longer after each response, up to five seconds', async () => {
  // Hours.
  expect(await follow([...Array<PaymentPhase>(2000).fill('processing'), 'paid'])).toBe('paid')
  const waits = requests
    .slice(1)
    .map(({ at }, index) => Math.round(at - (requests[index]?.at ?? 0)))
  expect(waits.slice(0, 3)).toEqual([500, 750, 1125])
  expect(new Set(waits.slice(6))).toEqual(new Set([5000]))
})

test.each(['before', 'while it waits', 'while it is hidden'])(
  'rejects if its signal aborts %s',
  async (when) => {
    responses = ['processing']
    const stop = new AbortController()
    if (when === 'before') stop.abort('enough')
    if (when === 'while it is hidden') hide(true)
    const followed = followPayment('/checkout/status', { signal: stop.signal }).catch(
      (reason) => reason,
    )
    await vi.advanceTimersByTimeAsync(10)
    stop.abort('enough')
    expect(await followed).toBe('enough')
    expect(vi.getTimerCount()).toBe(0)
  },
)

/** Returns what never comes, until the signal aborts. */
const never = (signal?: AbortSignal | null): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))

test('ends a request without a response after twenty seconds, and says so', async () => {
  const signals: (AbortSignal | null | undefined)[] = []
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    signals.push(signal)
    return never(signal)
  })
  const stop = new AbortController()
  const followed = followPayment('/checkout/status', { signal: stop.signal })
  const ended = expect(followed).rejects.toBe('enough')
  const handoff = postHandoff('/checkout/handoff').catch(String)
  await vi.advanceTimersByTimeAsync(21_000)
  expect(await handoff).toBe('TypeError: No response in 20 seconds')
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, true, false])
  stop.abort('enough')
  await ended
})

test('sends nothing while the page is hidden, and leaves no listener and no timer', async () => {
  responses = ['processing', 'paid']
  hide(true)
  const { signal } = new AbortController()
  const spies = [signal, document].map((target) => ({
    added: vi.spyOn(target, 'addEventListener'),
    removed: vi.spyOn(target, 'removeEventListener'),
  }))
  const followed = followPayment('/checkout/status', { signal })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(requests).toEqual([])
  hide(false)
  await vi.runAllTimersAsync()
  expect(await followed).toBe('paid')
  for (const { added, removed } of spies) {
    const calls = added.mock.calls.map(([type, listener]) => [type, listener])
    expect(removed.mock.calls).toEqual(expect.arrayContaining(calls))
  }
  expect(vi.getTimerCount()).toBe(0)
})

test('aborts a request with the reason of its signal, also while the body arrives', async () => {
  const stop = new AbortController()
  const received: AbortSignal[] = []
  vi.stubGlobal('fetch', async (_: string, { signal }: RequestInit) => {
    if (signal) received.push(signal)
    return { ok: true, status: 200, json: () => never(signal) }
  })
  const handoff = postHandoff('/checkout/handoff', { signal: stop.signal }).catch(
    (reason) => reason,
  )
  await vi.advanceTimersByTimeAsync(0)
  stop.abort('enough')
  expect(await handoff).toBe('enough')
  expect(vi.getTimerCount()).toBe(0)
  // A signal that is aborted before ends the request too.
  const late = postHandoff('/checkout/handoff', { signal: stop.signal })
  await vi.advanceTimersByTimeAsync(0)
  expect(received.map(({ reason }) => reason)).toEqual(['enough', 'enough'])
  await expect(Promise.race([late, 'pending'])).resolves.toBe('pending')
})

test.each([
  [{}, '{}'],
  [{ orderId: 'A-1' }, '{"orderId":"A-1"}'],
])('postHandoff sends %j as JSON, and returns the handoff', async (options, body) => {
  const handoff = { id: 'pi_1', clientSecret: 'pi_1_secret_x' }
  const send = vi.fn(async () => Response.json(handoff))
  vi.stubGlobal('fetch', send)
  expect(await postHandoff('/checkout/handoff', options)).toEqual(handoff)
  const headers = { 'content-type': 'application/json' }
  expect(send).toHaveBeenCalledWith(
    `${location.origin}/checkout/handoff`,
    expect.objectContaining({ method: 'POST', headers, body }),
  )
})

test.each([
  [409, { title: 'Paid', code: 'order_already_paid' }, 'Paid', 'order_already_paid', false],
  [400, '<!doctype html>', 'The shop returned 400 for /checkout/handoff', 'unknown', false],
  [429, null, 'The shop returned 429 for /checkout/handoff', 'unknown', true],
  [503, { title: 1, code: 2, retryable: 'no' }, 'The shop returned 503', 'unknown', true],
  [503, { retryable: false }, 'The shop returned 503 for /checkout/handoff', 'unknown', false],
  [409, { retryable: true }, 'The shop returned 409 for /checkout/handoff', 'unknown', true],
])('postHandoff rejects %i with %j', async (status, body, message, code, retryable) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  vi.stubGlobal('fetch', async () => new Response(text, { status }))
  const error = await postHandoff('/checkout/handoff').catch((reason) => reason)
  expect(error).toBeInstanceOf(ShopError)
  expect(error).toMatchObject({ name: 'ShopError', message, code, status, retryable })
})
