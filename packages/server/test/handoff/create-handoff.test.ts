import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { type HandoffProblemCode, handoffProblems } from '../../src/handoff/problem.ts'
import {
  createHandoff,
  type HandoffOptions,
  type HandoffOrder,
  HandoffRejection,
  PaymentIntents,
} from '../../src/index.ts'
import {
  apiKey,
  created,
  order,
  problem,
  retrieved,
  scriptedService,
  secret,
} from '../scripted-service.ts'

const origin = 'https://shop.example'
const closed = 'http://127.0.0.1:1'
const k1 = `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`
const k2 = `k2:${Buffer.alloc(32, 'the second key').toString('base64url')}`

afterEach(() => vi.unstubAllEnvs())

interface Shop {
  readonly handoff: (body: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly status: (orderId?: string, headers?: Record<string, string>) => Promise<Response>
}

type ShopOptions = Partial<HandoffOptions<HandoffOrder>> & { readonly base?: string }

function shop(baseUrl: string, { base = origin, ...options }: ShopOptions = {}): Shop {
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl, attempts: 1 }),
    origin: base,
    keys: k1,
    onError: () => {},
    order: (_request, orderId = order.orderId) => (orderId === order.orderId ? order : undefined),
    ...options,
  })
  return {
    handoff: (body, headers = {}) =>
      handle(
        new Request(`${base}/checkout/handoff`, {
          method: 'POST',
          headers: { origin: base, 'content-type': 'application/json', ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
    status: (orderId, headers = {}) => {
      const query = orderId === undefined ? '' : `?orderId=${encodeURIComponent(orderId)}`
      return handle(new Request(`${base}/checkout/status${query}`, { headers }))
    },
  }
}

/** A handler that needs no service. */
function handlerOf(options: Partial<HandoffOptions>) {
  return createHandoff({ intents: {} as never, origin, keys: k1, order: () => order, ...options })
}

function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

function captureStderr() {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => error.mockRestore())
  return error
}

test('the page gets exactly id and clientSecret, not to be stored', async () => {
  const service = await scriptedService(created())
  const response = await shop(service.url).handoff({ orderId: 'A-1001' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ id: 'pi_scripted', clientSecret: secret })
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'no-store, private',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'set-cookie': expect.stringMatching(
      /^__Host-pi-handoff=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    ),
  })
  expect(response.headers.get('set-cookie')).not.toContain(secret)
})

test.each(['http://localhost:3000', 'http://127.0.0.1:3000', 'http://shop.localhost:3000'])(
  'at %s the cookie has no Secure, because WebKit would drop it',
  async (base) => {
    const service = await scriptedService(created())
    const response = await shop(service.url, { base }).handoff({})
    expect(response.headers.get('set-cookie')).toMatch(
      /^pi-handoff=\S+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  },
)

test.each([
  ['http://shop.example', /must be https/],
  ['http://shop.example:80', /must be https/],
  ['http://localhost:80', /without a path or default port/],
  ['http://localhost.', /must be/],
  ['https://shop.example/path', /without a path/],
  ['shop.example', /must be/],
  ['', /must be/],
  ['null', /must be/],
  [undefined, /must be/],
  ['https://me:word@Shop.example/p?k=s', /received "https:\/\/Shop\.example\/…"\. Set the origin/],
])('rejects the origin %s when the handler is created', (bad, rule) => {
  const create = () => handlerOf({ origin: bad as string })
  expect(create).toThrow(/^origin: must be.*received .*createHandoff\(\)/)
  expect(create).toThrow(rule)
})

test('a reload resumes the intent without a request', async () => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }))
  const { handoff } = shop(service.url)
  const first = await handoff({})
  const second = await handoff({}, { cookie: `other=1; ${cookieOf(first)}` })
  expect(await second.json()).toEqual(await first.json())
  expect(second.headers.get('set-cookie')).toBeNull()
  expect(service.requests).toHaveLength(1)
})

test.each([
  ['a changed cart', { amount: 1 }],
  ['a raised attempt', { attempt: 2 }],
])('creates another intent for %s', async (_, change) => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }))
  const first = await shop(service.url).handoff({})
  const changed = shop(service.url, { order: () => ({ ...order, ...change }) })
  const second = await changed.handoff({}, { cookie: cookieOf(first) })
  expect(await second.json()).toMatchObject({ id: 'pi_second' })
  expect(service.keys()).toHaveLength(2)
})

test('sends a request if the stored intent differs from that of the cookie', async () => {
  const service = await scriptedService(created())
  const first = await shop(service.url).handoff({})
  const stored = shop(service.url, { order: () => ({ ...order, intentId: 'pi_newer' }) })
  await stored.handoff({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(2)
})

const session = { session: () => 'session-1' }
test.each<[string, ShopOptions, ((cookie: string) => string)?]>([
  ['another session', { session: () => 'session-2' }],
  ['no session', { session: undefined }],
  ['another order', { order: () => ({ ...order, orderId: 'B-2' }) }],
  ['another shop', { base: 'https://other.example' }],
  ['another key', { keys: k2 }],
  ['a time after its expiry', { clock: () => Date.now() + 1_810_000 }],
  ['a time before its creation', { clock: () => Date.now() - 60_000 }],
  ['a changed value', {}, (cookie) => `${cookie}x`],
  ['an empty value', {}, () => '__Host-pi-handoff='],
  ['no token', {}, () => '__Host-pi-handoff=a.b.c'],
  ['a long value', {}, () => `__Host-pi-handoff=${'x'.repeat(5000)}`],
])('ignores a cookie with %s (threat 37)', async (_, options, change = (cookie) => cookie) => {
  const service = await scriptedService(created())
  const cookie = cookieOf(await shop(service.url, session).handoff({}))
  await shop(service.url, session).handoff({}, { cookie })
  expect(service.requests).toHaveLength(1)
  const other = shop(service.url, { ...session, ...options })
  expect((await other.handoff({}, { cookie: change(cookie) })).status).toBe(200)
  expect(service.requests).toHaveLength(2)
})

test('after a key rotation the new key encrypts and the old one still decrypts', async () => {
  const service = await scriptedService(created())
  const first = await shop(service.url, { keys: k1 }).handoff({})
  const rotated = shop(service.url, { keys: `${k2},${k1}` })
  await rotated.handoff({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(1)
  const [header = ''] =
    cookieOf(await rotated.handoff({}))
      .split('=')[1]
      ?.split('.') ?? []
  const expected = { alg: 'dir', enc: 'A256GCM', typ: 'pi-handoff+jwt', kid: 'k2' }
  expect(JSON.parse(atob(header))).toEqual(expected)
})

const otherOrigin = /^origin: must be "https:\/\/shop\.example".*received "/
const otherSite = /^sec-fetch-site: must be "same-origin"; received "/
const otherType = /^content-type: must be application\/json; received "/
const withType = (type: string) => ({ 'content-type': type })

/** Body or headers of rejected handoff requests, and what `onError` gets. */
const rejected: Readonly<Record<string, readonly [string | object, RegExp][]>> = {
  origin_not_allowed: [
    [{ origin: 'http://127.0.0.1:3000' }, /received "http:\/\/127\.0\.0\.1:3000"/],
    [{ origin: 'https://evil.shop.example' }, otherOrigin],
    [{ origin: 'http://shop.example' }, otherOrigin],
    [{ origin: 'null' }, otherOrigin],
    [{ origin: '' }, otherOrigin],
    [{ origin: `https://pi_sk_test_abc.${'x'.repeat(200)}` }, /"https:\/\/\[masked\]\.x+…"/],
    [{ 'sec-fetch-site': 'same-site' }, otherSite],
    [{ 'sec-fetch-site': 'cross-site' }, otherSite],
  ],
  unsupported_media_type: [
    [withType('text/plain'), otherType],
    [withType('application/json; charset=utf-16'), otherType],
    [withType('application/x-www-form-urlencoded'), otherType],
  ],
  malformed_json: ['', '{', 'null', '[]', '"A-1001"', '{"orderId":7}', '{"orderId":""}'].map(
    (body) => [body, /orderId/],
  ),
  unknown_parameter: ['{"orderId":"A-1001","amount":1}', '{"amount":1}', '{"__proto__":{}}'].map(
    (body) => [body, /orderId/],
  ),
  payload_too_large: [[`{"orderId":"${'x'.repeat(5000)}"}`, /too large/]],
  order_not_found: [['{"orderId":"B-2"}', /received "B-2"/]],
}
const rejections = Object.entries(rejected).flatMap(([code, requests]) =>
  requests.map(([request, rule]) => [JSON.stringify(request), code, request, rule] as const),
)

test.each(rejections)('rejects %.60s with %s (threat 36)', async (_, code, request, rule) => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const { handoff } = shop(service.url, { onError })
  const [body, headers] = typeof request === 'string' ? [request, {}] : ['{}', request]
  const response = await handoff(body, { 'x-request-id': 'req-7', ...headers })
  const { status } = handoffProblems[code as HandoffProblemCode]
  expect(response.status).toBe(status)
  expect(response.headers.get('cache-control')).toContain('no-store')
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ code })
  expect(text).not.toContain('received')
  expect(onError).toHaveBeenCalledOnce()
  const [error] = onError.mock.calls[0] ?? []
  expect(error).toBeInstanceOf(HandoffRejection)
  expect(error).toMatchObject({ code, status, requestId: 'req-7', stack: expect.any(String) })
  expect(error.message).toMatch(rule)
  expect(service.requests).toHaveLength(0)
})

test('only the two paths below the base path are routes', async () => {
  const handle = handlerOf({})
  for (const path of [
    ...[
      '/handoff',
      '/orders/7/status',
      '/orders/7/handoff',
      '/checkout/else',
      '/checkout/x/status',
    ],
    ...['/checkout/status/', '/checkout//status', '/Checkout/status', '/checkout/%73tatus'],
    ...['//checkout/status', '/?x=/checkout/status', '/?x=/handoff'],
  ]) {
    const response = await handle(new Request(origin + path))
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  }
  expect((await handle(new Request(`${origin}/checkout/status`))).status).toBe(200)
})

test.each([
  ['/pay', '/pay/status'],
  ['/', '/status'],
  ['/shop/checkout', '/shop/checkout/status?orderId=A-1001'],
])('with the basePath %s the routes are below it only', async (basePath, path) => {
  const handle = handlerOf({ basePath })
  expect(handle.basePath).toBe(basePath)
  expect((await handle(new Request(origin + path))).status).toBe(200)
  expect((await handle(new Request(`${origin}/checkout/status`))).status).toBe(404)
})

test.each(['checkout', '/checkout/', '', '/a b', '/a?b', '/a#b', '//a', '/a/../b', 'http://a', 7])(
  'rejects the basePath %j when the handler is created',
  (basePath) => {
    const create = () => handlerOf({ basePath: basePath as string })
    expect(create).toThrow(/^basePath: must be a path such as "\/checkout"/)
    expect(create).toThrow(`received ${JSON.stringify(String(basePath))}`)
  },
)

test('returns 405 with Allow to other methods', async () => {
  const handle = handlerOf({ onError: () => {} })
  const get = await handle(new Request(`${origin}/checkout/handoff`))
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const post = await handle(new Request(`${origin}/checkout/status`, { method: 'POST' }))
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET'])
})

test('onIntent completes before the page gets a response', async () => {
  const service = await scriptedService(created())
  const stored: string[] = []
  const onIntent: ShopOptions['onIntent'] = async (_order, intent) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    stored.push(intent.id)
    expect(intent).not.toHaveProperty('clientSecret')
  }
  await shop(service.url, { onIntent }).handoff({})
  expect(stored).toEqual(['pi_scripted'])
})

test('if onIntent fails, the page gets no secret and onError gets the error', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const onIntent = () => Promise.reject(new Error('database down'))
  const response = await shop(service.url, { onIntent, onError }).handoff({})
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain(secret)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(onError).toHaveBeenCalledWith(new Error('database down'), undefined)
})

test('rejects a handoff for a paid order', async () => {
  const service = await scriptedService(created())
  const response = await shop(service.url, { order: () => ({ ...order, paid: true }) }).handoff({})
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({ code: 'order_already_paid' })
  expect(service.requests).toHaveLength(0)
})

test('an order hook that returns another order is an error', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const wrong = shop(service.url, { order: () => ({ ...order, orderId: 'C-3' }), onError })
  expect((await wrong.handoff({ orderId: 'A-1001' })).status).toBe(500)
  expect(onError.mock.calls[0]?.[0].message).toMatch(/^order: .*"C-3" for orderId "A-1001"/)
  expect(service.requests).toHaveLength(0)
})

test.each([
  [422, 'idempotency_key_reused', 502, 'payment_refused'],
  [503, 'store_unavailable', 503, 'payment_unavailable'],
  [401, 'invalid_credentials', 500, 'internal_error'],
])('after %i %s the page gets %i %s without reasons', async (given, reason, status, code) => {
  const service = await scriptedService(problem(given, reason))
  const onError = vi.fn()
  const response = await shop(service.url, { onError }).handoff({})
  expect(response.status).toBe(status)
  const body = (await response.json()) as object
  expect(Object.keys(body).sort()).toEqual(['code', 'retryable', 'status', 'title', 'type'])
  expect(body).toMatchObject({ code, retryable: status === 503 })
  expect(JSON.stringify(body)).not.toMatch(/idempotency|store|credential|127\.0\.0\.1/)
  expect(onError).toHaveBeenCalledOnce()
})

test('a missing PI_HANDOFF_KEYS fails the first request, before an intent is created', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', undefined)
  const service = await scriptedService(created())
  const onError = vi.fn()
  const response = await shop(service.url, { keys: undefined, onError }).handoff({})
  expect(response.status).toBe(500)
  expect(onError.mock.calls[0]?.[0].message).toMatch(
    /^PI_HANDOFF_KEYS: environment variable is not set\. .*Generate one with .* local sandbox stores its keys/,
  )
  expect(service.requests).toHaveLength(0)
})

test.each([
  'secret',
  'k1:short',
  `${k1},${k1}`,
  `K1:${k1.slice(3)}`,
  `k1:${'A'.repeat(43)}`,
  `k1:${'AB'.repeat(21)}A`,
  `k1:${Buffer.alloc(32, '1234567').toString('base64url')}`,
  '',
])('rejects the handoff keys %.9s without printing them (threat 70)', async (keys) => {
  const onError = vi.fn()
  expect((await shop(closed, { keys, onError }).handoff({})).status).toBe(500)
  const { message } = onError.mock.calls[0]?.[0] ?? {}
  expect(message).toMatch(/^keys: /)
  expect(message).not.toContain(k1.slice(3))
})

test('check() finds missing cookie keys, and what the client finds', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', undefined)
  const service = await scriptedService(problem(404, 'payment_intent_not_found'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  await expect(handlerOf({ intents, keys: undefined }).check()).rejects.toThrow(
    /^PI_HANDOFF_KEYS: /,
  )
  expect(service.requests).toHaveLength(0)
  await handlerOf({ intents }).check()
  expect(service.requests).toHaveLength(1)
  await service.close()
  await expect(handlerOf({ intents }).check()).rejects.toMatchObject({ code: 'not_connected' })
})

test('writes an error to stderr without onError', async () => {
  const stderr = captureStderr()
  const order = () => Promise.reject(new Error('broken hook'))
  await shop(closed, { onError: undefined, order }).handoff({})
  expect(stderr).toHaveBeenCalledWith('pi-checkout handoff:', new Error('broken hook'))
})

test('writes one line for a rejected request to stderr without onError', async () => {
  const stderr = captureStderr()
  const headers = { origin: 'https://evil.example\n', 'x-request-id': 'req-7' }
  await shop(closed, { onError: undefined }).handoff({}, headers)
  const line =
    'POST /checkout/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be "https://shop.example", the origin option of createHandoff(); received "https://evil.example". Open the page at that origin, or change the option.'
  expect(stderr.mock.calls).toEqual([['pi-checkout handoff:', line]])
})

test('an error of onError does not change the response', async () => {
  for (const onError of [
    () => {
      throw new Error('broken listener')
    },
    () => Promise.reject(new Error('broken listener')) as never,
  ]) {
    const order = () => Promise.reject(new Error('broken hook'))
    expect((await shop(closed, { order, onError }).handoff({})).status).toBe(500)
  }
})

test('hooks get the context as their last argument', async () => {
  const service = await scriptedService(created())
  const calls: string[] = []
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: k1,
    order: (_request: Request, _orderId: string | undefined, context: { user: string }) => {
      calls.push(`order ${context.user}`)
      return order
    },
    session: (_request, context) => {
      calls.push(`session ${context.user}`)
      return context.user
    },
    onIntent: (_order, _intent, context) => void calls.push(`onIntent ${context.user}`),
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  expect((await handle(request, { user: 'ani' })).status).toBe(200)
  expect(calls).toEqual(['order ani', 'session ani', 'onIntent ani'])
})

const stored = { order: () => ({ ...order, intentId: 'pi_abc' }) }

test.each([
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
  ['brand_new_status', 'unknown'],
])('for an intent that is %s the state is %s', async (status, state) => {
  const service = await scriptedService(retrieved({ status }))
  const hooks = { onPaid: vi.fn(), onFailed: vi.fn() }
  const response = await shop(service.url, { ...stored, ...hooks }).status('A-1001')
  expect(await response.json()).toEqual({ state })
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(hooks.onPaid).toHaveBeenCalledTimes(state === 'paid' ? 1 : 0)
  expect(hooks.onFailed).toHaveBeenCalledTimes(state === 'failed' ? 1 : 0)
})

test.each([{ amount: 1 }, { currency: 'USD' }, { orderId: 'B-2' }])(
  'a paid intent with %j is not paid for this order',
  async (change) => {
    const service = await scriptedService(retrieved({ status: 'succeeded', ...change }))
    const hooks = { onPaid: vi.fn(), onError: vi.fn() }
    const response = await shop(service.url, { ...stored, ...hooks }).status('A-1001')
    expect(await response.json()).toEqual({ state: 'unknown' })
    expect(hooks.onPaid).not.toHaveBeenCalled()
    expect(hooks.onError.mock.calls[0]?.[0].message).toMatch(
      /is paid but does not match order A-1001/,
    )
  },
)

test('status uses the intent of the cookie if the order has none, and clears it', async () => {
  const service = await scriptedService(created(), retrieved({ status: 'succeeded' }))
  const { handoff, status } = shop(service.url)
  const response = await status('A-1001', { cookie: cookieOf(await handoff({})) })
  expect(await response.json()).toEqual({ state: 'paid' })
  expect(service.requests[1]?.url).toBe('/payment-intents/pi_scripted')
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-pi-handoff=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  )
})

test('status clears the cookie of a failed intent, but not for another session', async () => {
  const service = await scriptedService(created(), retrieved({ status: 'failed' }))
  const { handoff, status } = shop(service.url, session)
  const cookie = cookieOf(await handoff({}))
  expect((await status('A-1001', { cookie })).headers.get('set-cookie')).toContain('Max-Age=0')
  const other = shop(service.url, { session: () => 'session-2' })
  const response = await other.status('A-1001', { cookie })
  expect(await response.json()).toEqual({ state: 'open' })
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('status sends no request for a paid order, or one without an intent', async () => {
  const service = await scriptedService(retrieved())
  const paid = shop(service.url, { order: () => ({ ...order, intentId: 'pi_abc', paid: true }) })
  expect(await (await paid.status('A-1001')).json()).toEqual({ state: 'paid' })
  expect(await (await shop(service.url).status()).json()).toEqual({ state: 'open' })
  expect(service.requests).toHaveLength(0)
})

test('status returns 404 for an order of another session', async () => {
  const response = await shop(closed).status('B-2')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'order_not_found' })
})

test('status rejects requests from other sites', async () => {
  const { status } = shop(closed)
  expect((await status('A-1001', { origin: 'https://evil.example' })).status).toBe(403)
  expect((await status('A-1001', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test('if onPaid fails, the state is not paid, and the next poll calls it again', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded' }))
  const onPaid = vi.fn().mockRejectedValueOnce(new Error('database down'))
  const { status } = shop(service.url, { ...stored, onPaid })
  expect((await status('A-1001')).status).toBe(500)
  expect(await (await status('A-1001')).json()).toEqual({ state: 'paid' })
  expect(onPaid).toHaveBeenCalledTimes(2)
})

test('concurrent polls raise attempt once with the documented onFailed', async () => {
  const pending: (() => void)[] = []
  const service = await scriptedService((response, request) => {
    if (request.method === 'POST') return created({ id: 'pi_next' })(response, request)
    pending.push(() => void retrieved({ status: 'failed' })(response, request))
  })
  const row: { attempt: number; intentId: string | null } = { attempt: 1, intentId: 'pi_first' }
  let calls = 0
  const { handoff, status } = shop(service.url, {
    order: () => ({ ...order, ...row }),
    onIntent: (_order, { id }) => void Object.assign(row, { intentId: id }),
    // The statement of guides/reload-and-edited-order.md, on one row.
    onFailed: ({ attempt = 1 }, { id }) => {
      calls++
      if (row.intentId === id) Object.assign(row, { attempt: attempt + 1, intentId: null })
    },
  })
  const polls = [status('A-1001'), status('A-1001'), status('A-1001')]
  await expect.poll(() => pending.length).toBe(3)
  for (const respond of pending.slice(0, 2)) respond()
  await Promise.all(polls.slice(0, 2))
  expect(row).toEqual({ attempt: 2, intentId: null })
  await handoff({})
  pending[2]?.()
  expect(await (await polls[2])?.json()).toEqual({ state: 'failed' })
  expect(row).toEqual({ attempt: 2, intentId: 'pi_next' })
  expect(calls).toBe(3)
})

test('two concurrent tabs get one intent', async () => {
  const service = await scriptedService((response, request) => {
    setTimeout(() => void created()(response, request), 50)
  })
  const { handoff } = shop(service.url)
  const [one, two] = await Promise.all([handoff({}), handoff({ orderId: 'A-1001' })])
  expect(await one.json()).toEqual(await two.json())
  expect(service.keys()).toHaveLength(1)
})
