// @vitest-environment jsdom
import { afterEach, beforeEach, expect, expectTypeOf, test, vi } from 'vitest'
import {
  type FollowOptions,
  followPayment,
  HandoffError,
  type Phase,
  postHandoff,
} from '../src/client/index.ts'

type Given = readonly (Phase | number | Error)[]

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
async function follow(given: Given, options?: FollowOptions): Promise<Phase> {
  responses = given
  const followed = followPayment('/checkout/status', options)
  await vi.runAllTimersAsync()
  return followed
}

test.each<[Given, Phase, number]>([
  [['paid'], 'paid', 1],
  [['failed'], 'failed', 1],
  [['open', 'processing', 'unknown', 'paid'], 'paid', 4],
  [[new TypeError('offline'), 500, 404, 'paid'], 'paid', 4],
])('follows %s to %s', async (given, phase, count) => {
  expect(await follow(given)).toBe(phase)
  expect(requests.map(({ url }) => url)).toEqual(Array(count).fill('/checkout/status'))
  expect(requests[0]?.init.cache).toBe('no-store')
})

test.each<[Phase | number | Error, Phase]>([
  ['processing', 'processing'],
  ['open', 'open'],
  ['shipped' as Phase, 'unknown'],
  [503, 'unknown'],
  [new TypeError('offline'), 'unknown'],
])('resolves after the timeout if every response is %s', async (response, phase) => {
  expect(await follow([response])).toBe(phase)
  expect(performance.now()).toBeGreaterThanOrEqual(60_000)
  expect(performance.now()).toBeLessThan(61_000)
})

test('waits longer after each response, up to five seconds', async () => {
  await follow(['processing'], { timeout: 30_000 })
  const waits = requests
    .slice(1)
    .map(({ at }, index) => Math.round(at - (requests[index]?.at ?? 0)))
  expect(waits.slice(0, 3)).toEqual([500, 750, 1125])
  expect(waits.slice(6)).toEqual([5000, 5000, 5000])
})

test.each([
  [0, [0], 0],
  // The last request has the time that remains.
  [600, [0, 500], 600],
])('asks until the timeout of %i at %j', async (timeout, times, end) => {
  expect(await follow(['processing'], { timeout })).toBe('processing')
  expect([requests.map(({ at }) => at), performance.now()]).toEqual([times, end])
})

test('sends nothing while the page is hidden, and does not count that time', async () => {
  responses = ['processing', 'paid']
  hide(true)
  const followed = followPayment('/checkout/status', { timeout: 1000 })
  await vi.advanceTimersByTimeAsync(600_000)
  expect(requests).toEqual([])
  hide(false)
  await vi.runAllTimersAsync()
  expect(await followed).toBe('paid')
})

test.each(['request', 'pause'])(
  'does not count the time of a page that is suspended in a %s',
  async (when) => {
    let suspended = 0
    const now = performance.now.bind(performance)
    vi.spyOn(performance, 'now').mockImplementation(() => now() + suspended)
    const { fetch } = globalThis
    vi.stubGlobal('fetch', (...request: Parameters<typeof fetch>) => {
      const suspend = (): void => {
        suspended = 600_000
      }
      if (when === 'request') suspend()
      else setTimeout(suspend, 100)
      return fetch(...request)
    })
    expect(await follow(['processing', 'paid'], { timeout: 30_000 })).toBe('paid')
  },
)

test('follows without end if the timeout is Infinity', async () => {
  const given = [...Array<Phase>(100).fill('processing'), 'paid'] as const
  expect(await follow(given, { timeout: Number.POSITIVE_INFINITY })).toBe('paid')
})

test.each([Number.NaN, -1, '60', null])('rejects the timeout %s', async (timeout) => {
  const followed = followPayment('/checkout/status', { timeout: timeout as number })
  await expect(followed).rejects.toThrow(
    new TypeError(`timeout: must be a number of milliseconds from 0; received ${timeout}`),
  )
  expect(requests).toEqual([])
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

test('ends a request without a response after twenty seconds, and with its timeout', async () => {
  const signals: (AbortSignal | null | undefined)[] = []
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    signals.push(signal)
    return new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  })
  const followed = followPayment('/checkout/status', { timeout: 30_000 })
  await vi.advanceTimersByTimeAsync(21_000)
  expect(signals.map((signal) => signal?.aborted)).toEqual([true, false])
  await vi.runAllTimersAsync()
  expect(await followed).toBe('unknown')
  expect(performance.now()).toBe(30_000)
})

test.each(['visible', 'hidden'])(
  'leaves no listener and no timer after a %s page',
  async (first) => {
    responses = ['processing', 'paid']
    hide(first === 'hidden')
    const { signal } = new AbortController()
    const spies = [signal, document].map((target) => ({
      added: vi.spyOn(target, 'addEventListener'),
      removed: vi.spyOn(target, 'removeEventListener'),
    }))
    const followed = followPayment('/checkout/status', { signal })
    await vi.advanceTimersByTimeAsync(10)
    hide(false)
    await vi.runAllTimersAsync()
    expect(await followed).toBe('paid')
    for (const { added, removed } of spies) {
      const calls = added.mock.calls.map(([type, listener]) => [type, listener])
      expect(removed.mock.calls).toEqual(expect.arrayContaining(calls))
    }
    expect(vi.getTimerCount()).toBe(0)
  },
)

test('aborts a request with the reason of its signal, also while the body arrives', async () => {
  const stop = new AbortController()
  const received: AbortSignal[] = []
  vi.stubGlobal('fetch', async (_: string, { signal }: RequestInit) => {
    if (signal) received.push(signal)
    const json = (): Promise<never> =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    return { ok: true, json }
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
    '/checkout/handoff',
    expect.objectContaining({ method: 'POST', headers, body }),
  )
})

test.each([
  [409, { title: 'Paid', code: 'order_already_paid' }, 'Paid', 'order_already_paid', false],
  [400, '<!doctype html>', 'The shop returned 400', 'unknown', false],
  [429, null, 'The shop returned 429', 'unknown', true],
  [503, { title: 1, code: 2, retryable: 'no' }, 'The shop returned 503', 'unknown', true],
  [503, { retryable: false }, 'The shop returned 503', 'unknown', false],
  [409, { retryable: true }, 'The shop returned 409', 'unknown', true],
])('postHandoff rejects %i with %j', async (status, body, message, code, retryable) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  vi.stubGlobal('fetch', async () => new Response(text, { status }))
  const error = await postHandoff('/checkout/handoff').catch((reason) => reason)
  expect(error).toBeInstanceOf(HandoffError)
  expect(error).toMatchObject({ name: 'HandoffError', message, code, status, retryable })
})

test('the types list the phases, and complete the codes of the handoff route', () => {
  expectTypeOf(followPayment).returns.resolves.toEqualTypeOf<Phase>()
  expectTypeOf<Phase>().toEqualTypeOf<'open' | 'processing' | 'paid' | 'failed' | 'unknown'>()
  expectTypeOf<'order_already_paid'>().toExtend<HandoffError['code']>()
})
