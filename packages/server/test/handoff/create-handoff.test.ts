import { EncryptJWT, jwtDecrypt } from 'jose'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { optionsWith } from '../../src/client/test-time.ts'
import { type HandoffProblemCode, handoffProblems } from '../../src/handoff/problem.ts'
import {
  createHandoff,
  type HandoffHandler,
  type HandoffOptions,
  type HandoffOrder,
  HandoffRejection,
  type OrderQuery,
  PaymentIntents,
  type ResumeCookieOptions,
} from '../../src/index.ts'
import { fakeService, fakeTime } from '../../src/testing/fake-service.ts'
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
  readonly handle: HandoffHandler
  /** The shop's order, as its hooks read and write it. */
  readonly row: Row
  readonly hooks: Pick<HandoffOptions<HandoffOrder>, 'order' | 'saveIntent'>
}

type Row = HandoffOrder & { intentId: string | null; attempt?: number; paid?: boolean }
type ShopOptions = Partial<HandoffOptions> & {
  readonly base?: string
  readonly row?: Partial<Row>
  readonly now?: () => number
}

function shop(baseUrl: string, { base = origin, ...options }: ShopOptions = {}): Shop {
  const row: Row = { ...order, intentId: null, ...options.row }
  const { now = Date.now, resumeCookie } = options
  const hooks: Shop['hooks'] = {
    order: ({ orderId = order.orderId }) => (orderId === order.orderId ? { ...row } : undefined),
    // As in guides/reload-and-edited-order.md, on one row.
    saveIntent: ({ order: { amount, currency, attempt }, intent }) => {
      const isSame =
        amount === row.amount && currency === row.currency && attempt === row.attempt && !row.paid
      if (isSame) row.intentId = intent.id
      return isSame
    },
  }
  const handle = createHandoff<HandoffOrder>({
    intents: new PaymentIntents({ apiKey, baseUrl, maxRetries: 0 }),
    shopOrigin: base,
    onError: () => {},
    ...hooks,
    settle: ({ intent, phase, nextAttempt }) => {
      if (row.intentId !== intent.id) return
      if (phase === 'paid') row.paid = true
      else Object.assign(row, { intentId: null, attempt: nextAttempt })
    },
    ...options,
    ...{ resumeCookie: resumeCookie === false ? false : { keys: k1, ...resumeCookie } },
    ...optionsWith({ clock: now }),
  })
  return {
    ...{ handle, hooks, row },
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
function handlerOf(options: ShopOptions): HandoffHandler {
  return shop(closed, { intents: {} as never, ...options }).handle
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
  [[], /received undefined/],
  [['https://shop.example', 'shop.example'], /must be/],
  ['https://me:word@Shop.example/p?k=s', /received "https:\/\/Shop\.example\/…"\. Set the shop/],
])('rejects the shopOrigin %j when the handler is created', (bad, rule) => {
  const create = () => createHandoff({ shopOrigin: bad } as never)
  expect(create).toThrow(/^shopOrigin: must be.*received .*createHandoff\(\)/)
  expect(create).toThrow(rule)
})

test('rejects the origin of the hosted checkout as shopOrigin, and names both', () => {
  for (const variable of ['https://pay.example', 'https://pay.example/']) {
    vi.stubEnv('PI_CHECKOUT_ORIGIN', variable)
    expect(() => handlerOf({ base: 'https://pay.example' })).toThrow(
      /^shopOrigin: is the hosted checkout's, PI_CHECKOUT_ORIGIN.*The hosted checkout's is checkoutOrigin/,
    )
  }
})

const countries = ['https://shop.example', 'https://shop.am']
test.each<[string, HandoffOptions['shopOrigin']]>([
  ['a list', countries],
  [
    'a function of the request',
    async ({ request }) =>
      countries.find((each) => each.endsWith(request.headers.get('host') ?? '-')),
  ],
])(
  'accepts each shopOrigin of %s, and resumes only where the cookie was set',
  async (_, shopOrigin) => {
    const service = await scriptedService(created())
    const { handoff } = shop(service.url, { shopOrigin })
    const [am, other] = ['https://shop.am', 'https://shop.example'].map((at) => ({
      origin: at,
      host: at.slice(8),
    }))
    const first = await handoff({}, am)
    const cookie = cookieOf(first)
    expect(first.status).toBe(200)
    await handoff({}, { ...am, cookie })
    expect(service.requests).toHaveLength(1)
    await handoff({}, { ...other, cookie })
    expect(service.requests).toHaveLength(2)
    const unknown = { origin: 'https://shop.evil', host: 'shop.evil' }
    expect((await handoff({}, unknown)).status).toBe(403)
  },
)

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
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  Object.assign(row, change)
  const second = await handoff({}, { cookie: cookieOf(first) })
  expect(await second.json()).toMatchObject({ id: 'pi_second' })
  expect(service.keys()).toHaveLength(2)
})

test('sends a request if the stored intent differs from that of the cookie', async () => {
  const service = await scriptedService(created())
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  row.intentId = 'pi_newer'
  await handoff({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(2)
})

test('a shopOrigin function that returns no origin is an error', async () => {
  const onError = vi.fn()
  const { handoff } = shop(closed, { shopOrigin: () => 'shop.example', onError })
  expect((await handoff({}, { origin: 'shop.example' })).status).toBe(500)
  expect(onError.mock.calls[0]?.[0].error.message).toMatch(
    /^shopOrigin: must be a lowercase origin/,
  )
})

test('rejects resumeCookie: null when the handler is created', () => {
  const create = () => createHandoff({ shopOrigin: origin, resumeCookie: null } as never)
  expect(create).toThrow(/^resumeCookie: is null\. Pass false/)
})

const session = { session: () => 'session-1', row: { intentId: 'pi_scripted' } }
test.each<[string, ShopOptions, ((cookie: string) => string | Promise<string>)?]>([
  ['another session', { session: () => 'session-2' }],
  ['no session', { session: undefined }],
  ['another order', { order: () => ({ ...order, orderId: 'B-2', intentId: 'pi_scripted' }) }],
  ['another shop', { base: 'https://other.example' }],
  ['another key', { resumeCookie: { keys: k2 } }],
  ['another name', { resumeCookie: { name: 'other' } }],
  ['a time after its expiry', { now: () => Date.now() + 1_810_000 }],
  ['a time before its creation', { now: () => Date.now() - 60_000 }],
  ['a changed value', {}, (cookie) => `${cookie}x`],
  ['an empty value', {}, () => '__Host-pi-handoff='],
  ['no token', {}, () => '__Host-pi-handoff=a.b.c'],
  ['a long value', {}, () => `__Host-pi-handoff=${'x'.repeat(5000)}`],
  ['another type', {}, (cookie) => reencrypt(cookie, { typ: 'JWT' })],
  ['more than 4,096 characters', {}, (cookie) => reencrypt(cookie, { more: 'x'.repeat(4000) })],
])('ignores a cookie with %s (threat 37)', async (_, options, change = (cookie) => cookie) => {
  const service = await scriptedService(created())
  const cookie = cookieOf(await shop(service.url, session).handoff({}))
  await shop(service.url, session).handoff({}, { cookie })
  expect(service.requests).toHaveLength(1)
  const other = shop(service.url, { ...session, ...options })
  expect((await other.handoff({}, { cookie: await change(cookie) })).status).toBe(200)
  expect(service.requests).toHaveLength(2)
})

test('accepts a cookie that was encrypted with the same key again', async () => {
  const service = await scriptedService(created())
  const { handoff } = shop(service.url)
  await handoff({}, { cookie: await reencrypt(cookieOf(await handoff({})), {}) })
  expect(service.requests).toHaveLength(1)
})

/** Encrypts the claims of a cookie with its key, with another type or with more claims. */
async function reencrypt(
  cookie: string,
  { typ, more }: { readonly typ?: string; readonly more?: string },
): Promise<string> {
  const [name = '', value = ''] = cookie.split('=')
  const key = Buffer.from(k1.slice(3), 'base64url')
  const { payload, protectedHeader } = await jwtDecrypt(value, key)
  const jwt = new EncryptJWT({ ...payload, ...(more && { more }) })
  const header = { ...protectedHeader, ...(typ && { typ }) }
  return `${name}=${await jwt.setProtectedHeader(header).encrypt(key)}`
}

test('after a key rotation the new key encrypts and the old one still decrypts', async () => {
  const service = await scriptedService(created())
  const { handoff, row } = shop(service.url)
  const first = await handoff({})
  const rotated = shop(service.url, { row, resumeCookie: { keys: `${k2},${k1}` } })
  await rotated.handoff({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(1)
  const [, header = ''] = /=([^.]+)/.exec(cookieOf(await rotated.handoff({}))) ?? []
  const expected = { alg: 'dir', enc: 'A256GCM', typ: 'pi-handoff+jwt', kid: 'k2' }
  expect(JSON.parse(atob(header))).toEqual(expected)
})

test.each<[ResumeCookieOptions, string, RegExp]>([
  [{ name: 'acme' }, origin, /^__Host-acme=\S+; Max-Age=1800; Path=\/; .*; Secure$/],
  [{ path: '/checkout' }, origin, /^__Secure-pi-handoff=\S+; .*Path=\/checkout; .*; Secure$/],
  [{ maxAge: 60, name: 'a' }, 'http://localhost', /^a=\S+; Max-Age=60; Path=\/; .*Strict$/],
])(
  'with %j the cookie at %s has its name, path, and lifetime',
  async (resumeCookie, base, form) => {
    const service = await scriptedService(created())
    const { handoff } = shop(service.url, { base, resumeCookie })
    const first = await handoff({})
    expect(first.headers.get('set-cookie')).toMatch(form)
    await handoff({}, { cookie: cookieOf(first) })
    expect(service.requests).toHaveLength(1)
  },
)

test.each<ResumeCookieOptions>([
  ...[{ name: '' }, { name: 'a b' }, { name: '__Host-a' }, { path: 'checkout' }, { path: '/;a' }],
  ...[{ maxAge: 0 }, { maxAge: 1.5 }, { maxAge: 90_000 }],
])('check() rejects the resumeCookie %j', async (resumeCookie) => {
  const [[name, value] = []] = Object.entries(resumeCookie)
  const check = handlerOf({ resumeCookie }).check()
  await expect(check).rejects.toThrow(`resumeCookie.${name}: must be `)
  await expect(check).rejects.toThrow(`received ${JSON.stringify(value)}.`)
})

test.each<[string, ShopOptions]>([
  ['PI_HANDOFF_KEYS is not set', { resumeCookie: { keys: undefined } }],
  ['resumeCookie is false', { resumeCookie: false }],
])('if %s, a reload finds the intent with the same create', async (_, options) => {
  vi.stubEnv('PI_HANDOFF_KEYS', options.resumeCookie === false ? k1 : undefined)
  const service = fakeService()
  const intents = new PaymentIntents({ ...service.options, ...fakeTime() })
  const { handoff, handle, row } = shop(closed, { intents, ...options })
  await handle.check()
  const [first, second] = [await handoff({}), await handoff({})]
  expect([first, second].map(({ headers }) => headers.get('set-cookie'))).toEqual([null, null])
  expect(await first.json()).toEqual(await second.json())
  expect(service.intents.map(({ id }) => id)).toEqual([row.intentId])
})

test('each order uses the client of its merchant, also for a resumed handoff', async () => {
  const merchants = { a: fakeService(), b: fakeService() }
  const intents = {
    a: new PaymentIntents({ ...merchants.a.options, ...fakeTime() }),
    b: new PaymentIntents({ ...merchants.b.options, ...fakeTime() }),
  }
  let merchant: 'a' | 'b' = 'a'
  const { handle, handoff, row } = shop(closed, { intents: () => intents[merchant] })
  const cookie = cookieOf(await handoff({}))
  const { intentId } = row
  await handoff({}, { cookie })
  expect(merchants.a.requests).toHaveLength(1)
  // The same order id, cart, and intent id, but another merchant: the cookie is not theirs.
  merchant = 'b'
  await handoff({}, { cookie })
  expect(merchants.b.requests).toHaveLength(1)
  expect(row.intentId).not.toBe(intentId)
  const summary = await handle.reconcile([{ ...row, intentId: String(row.intentId) }])
  expect(summary).toMatchObject({ orders: 1, open: 1 })
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
  const response = await handoff(body, { 'x-request-id': 'r'.repeat(200), ...headers })
  const { status } = handoffProblems[code as HandoffProblemCode]
  expect(response.status).toBe(status)
  expect(response.headers.get('cache-control')).toContain('no-store')
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ code })
  expect(text).not.toContain('received')
  expect(onError).toHaveBeenCalledOnce()
  const [{ error }] = onError.mock.calls[0] ?? []
  expect(error).toBeInstanceOf(HandoffRejection)
  const requestId = 'r'.repeat(128)
  expect(error).toMatchObject({ code, status, requestId, stack: expect.any(String) })
  expect(error.message).toMatch(rule)
  expect(service.requests).toHaveLength(0)
})

test.each([
  [{ origin: 'https://evil.example' }, otherOrigin],
  [{ origin: 'null' }, otherOrigin],
  [{ 'sec-fetch-site': 'same-site' }, otherSite],
  [{ 'sec-fetch-site': 'cross-site' }, otherSite],
])('status rejects the request of another site with %j (threat 36)', async (headers, rule) => {
  const hooks = { order: vi.fn(), onError: vi.fn() }
  const response = await shop(closed, hooks).status('A-1001', headers)
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'origin_not_allowed' })
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(rule)
  expect(hooks.order).not.toHaveBeenCalled()
  expect((await shop(closed).status('A-1001', { origin })).status).toBe(200)
})

test('only the two paths below the base path are routes', async () => {
  const handle = handlerOf({})
  for (const path of [
    ...['/handoff', '/orders/7/status', '/orders/7/handoff', '/checkout/x/status'],
    ...[
      '/checkout/else',
      '/checkout/status/',
      '/checkout//status',
      '/Checkout/status',
      '/checkout/%73tatus',
    ],
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

test('saveIntent completes before the page gets a response', async () => {
  const service = await scriptedService(created())
  const stored: string[] = []
  const saveIntent: ShopOptions['saveIntent'] = async ({ intent }) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    stored.push(intent.id)
    expect(intent).not.toHaveProperty('clientSecret')
  }
  await shop(service.url, { saveIntent }).handoff({})
  expect(stored).toEqual(['pi_scripted'])
})

test.each<[string, Partial<Row>, 'failed'?]>([
  ['a changed cart', { amount: 2000 }],
  ['a failed payment', { attempt: 2, intentId: null }, 'failed'],
  ['a changed currency', { currency: 'USD' }],
])('a slow handoff does not replace the intent after %s', async (_, change, final) => {
  const service = fakeService()
  let release = (): void => {}
  const slow: typeof fetch = async (input, init) => {
    const response = await service.fetch(input, init)
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return response
  }
  const intents = new PaymentIntents(service.options)
  const fast = shop(closed, { intents })
  const other = shop(closed, {
    intents: new PaymentIntents({ ...service.options, fetch: slow }),
    ...fast.hooks,
  })
  const late = other.handoff({})
  await expect.poll(() => service.intents.length).toBe(1)
  if (final) service.settle(order.orderId, final)
  Object.assign(fast.row, change)
  const shown = await (await fast.handoff({})).json()
  expect(service.intents).toHaveLength(2)
  release()
  await expect.poll(() => service.requests.length).toBe(3)
  release()
  expect(await (await late).json()).toEqual(shown)
  expect(fast.row.intentId).toBe(service.intents[1]?.id)
  service.settle(order.orderId, 'succeeded')
  expect(await (await fast.status()).json()).toEqual({ phase: 'paid' })
})

test('if saveIntent always returns false, the page gets no secret and may try again', async () => {
  const service = await scriptedService(created())
  const hooks = { saveIntent: vi.fn(() => false), onError: vi.fn() }
  const response = await shop(service.url, hooks).handoff({})
  expect([response.status, response.headers.get('set-cookie')]).toEqual([503, null])
  expect(await response.json()).toMatchObject({ code: 'payment_unavailable', retryable: true })
  expect(hooks.saveIntent).toHaveBeenCalledTimes(3)
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(/^saveIntent: .* false 3 times/)
})

test('if saveIntent fails, the page gets no secret and onError gets the error', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const saveIntent = () => Promise.reject(new Error('database down'))
  const response = await shop(service.url, { saveIntent, onError }).handoff({})
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain(secret)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(onError).toHaveBeenCalledWith({ error: new Error('database down'), context: undefined })
})

test('quotes the start of what a request contains, without secrets', async () => {
  const stderr = captureStderr()
  const long = `pi_sk_test_abc ${'x'.repeat(12_000)}`
  const { handle, status } = shop(closed, {
    onError: undefined,
    order: () => ({ ...order, orderId: long, intentId: null }),
  })
  expect((await status(`7${long}`)).status).toBe(500)
  expect((await status('')).status).toBe(400)
  await handle(new Request(`${origin}/checkout/status`, { method: `M${'X'.repeat(999)}` }))
  const [wrong, empty, method] = stderr.mock.calls.map(([, line]) => line)
  const quote = `"\\[masked\\] x{51}…"`
  expect(String(wrong)).toMatch(new RegExp(`order ${quote} for orderId "7\\[masked\\] x{50}…"`))
  expect(empty).toMatch(/returned 400 malformed_json: orderId: must not be empty/)
  expect(method).toMatch(/^MX{59}… \/checkout\/status returned 405 .* received "MX{59}…"/)
})

test.each([
  [
    'another order',
    { ...order, orderId: 'C-3', intentId: null },
    /^order: .*"C-3" for orderId "A-1001"/,
  ],
  [
    'an order without intentId',
    order,
    /^order: .* without intentId\. Return the id that saveIntent stored/,
  ],
])('an order hook that returns %s is an error', async (_, wrong, message) => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const { handoff, status } = shop(service.url, { order: () => wrong as HandoffOrder, onError })
  expect((await handoff({ orderId: 'A-1001' })).status).toBe(500)
  expect((await status('A-1001')).status).toBe(500)
  for (const [{ error }] of onError.mock.calls) expect(error.message).toMatch(message)
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
  expect((await shop(closed, { resumeCookie: { keys }, onError }).handoff({})).status).toBe(500)
  const { message } = onError.mock.calls[0]?.[0].error ?? {}
  expect(message).toMatch(/^keys: /)
  expect(message).not.toContain(k1.slice(3))
})

test('check() finds malformed cookie keys, and what the client finds', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', 'k1:short')
  const service = await scriptedService(problem(404, 'payment_intent_not_found'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const malformed = handlerOf({ intents, resumeCookie: { keys: undefined } })
  await expect(malformed.check()).rejects.toThrow(/^PI_HANDOFF_KEYS: /)
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
    'POST /checkout/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be "https://shop.example" of the shopOrigin option of createHandoff(); received "https://evil.example". Open the page there, or change the option.'
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

test('hooks get the request and the context', async () => {
  const service = await scriptedService(created())
  const calls: string[] = []
  interface About {
    readonly request: Request
    readonly context: { readonly user: string }
  }
  const log = (name: string, { request, context }: About): void => {
    calls.push(`${name} ${request.method} ${context.user}`)
  }
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    shopOrigin: (about) => {
      log('shopOrigin', about)
      return origin
    },
    resumeCookie: { keys: k1 },
    order: (about: OrderQuery<About['context']>) => {
      log(`order ${about.orderId}`, about)
      return { ...order, intentId: null }
    },
    session: (about) => {
      log('session', about)
      return about.context.user
    },
    saveIntent: ({ order, intent, ...about }) => log(`save ${order.orderId} ${intent.id}`, about),
    settle: () => {},
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  expect((await handle(request, { user: 'ani' })).status).toBe(200)
  expect(calls).toEqual([
    ...['shopOrigin POST ani', 'order undefined POST ani', 'session POST ani'],
    'save A-1001 pi_scripted POST ani',
  ])
})

const stored = { row: { intentId: 'pi_abc' } }

test.each([
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
  ['brand_new_status', 'unknown'],
])('for an intent that is %s the phase is %s', async (intentStatus, phase) => {
  const service = await scriptedService(retrieved({ status: intentStatus }))
  const settle = vi.fn()
  const { row, status } = shop(service.url, { ...stored, settle })
  const response = await status('A-1001')
  expect(await response.json()).toEqual({ phase })
  expect(response.headers.get('cache-control')).toBe('no-store')
  const final = phase === 'paid' || phase === 'failed'
  const intent = expect.objectContaining({ id: 'pi_abc', status: intentStatus })
  const settlement = { order: row, intent, phase, nextAttempt: phase === 'failed' ? 2 : 1 }
  expect(settle.mock.calls).toEqual(final ? [[settlement]] : [])
})

test.each([{ amount: 1 }, { currency: 'USD' }, { orderId: 'B-2' }])(
  'a paid intent with %j is not paid for this order',
  async (change) => {
    const service = await scriptedService(retrieved({ status: 'succeeded', ...change }))
    const hooks = { settle: vi.fn(), onError: vi.fn() }
    const response = await shop(service.url, { ...stored, ...hooks }).status('A-1001')
    expect(await response.json()).toEqual({ phase: 'unknown' })
    expect(hooks.settle).not.toHaveBeenCalled()
    expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(
      /is paid but does not match order A-1001/,
    )
  },
)

test.each(['succeeded', 'failed'])(
  'status clears the cookie of an intent that is %s, but not of another session or intent',
  async (final) => {
    const service = await scriptedService(created(), retrieved({ status: final }))
    const { handoff, status, row } = shop(service.url, { ...session, row: {} })
    const cookie = cookieOf(await handoff({}))
    const other = shop(service.url, { row, session: () => 'session-2' })
    expect((await other.status('A-1001', { cookie })).headers.get('set-cookie')).toBeNull()
    const newer = shop(service.url, { ...session, row: { intentId: 'pi_newer' } })
    expect((await newer.status('A-1001', { cookie })).headers.get('set-cookie')).toBeNull()
    expect((await status('A-1001', { cookie })).headers.get('set-cookie')).toBe(
      '__Host-pi-handoff=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure',
    )
  },
)

test('sends no request for a paid order, or the status of one without an intent', async () => {
  const service = await scriptedService(retrieved())
  const paid = shop(service.url, { row: { intentId: 'pi_abc', paid: true } })
  expect(await (await paid.status('A-1001')).json()).toEqual({ phase: 'paid' })
  const problem = { status: 409, code: 'order_already_paid' }
  expect(await (await paid.handoff({})).json()).toMatchObject(problem)
  expect(await (await shop(service.url).status()).json()).toEqual({ phase: 'open' })
  expect(service.requests).toHaveLength(0)
})

test('a settle hook that never returns fails its calls after 30 seconds', async () => {
  const service = fakeService()
  const hooks = { settle: vi.fn().mockReturnValueOnce(new Promise(() => {})), onError: vi.fn() }
  const intents = new PaymentIntents(service.options)
  const { handle, handoff, row, status } = shop(closed, { intents, ...hooks })
  await handoff({})
  service.settle(order.orderId, 'succeeded')
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const polls = [status(), status()]
  const controller = new AbortController()
  const { signal } = controller
  const reconciled = handle.reconcile([{ ...row, intentId: String(row.intentId) }], { signal })
  await vi.advanceTimersByTimeAsync(29_000)
  controller.abort()
  expect(await reconciled).toMatchObject({ orders: 0, paid: 0 })
  await vi.advanceTimersByTimeAsync(1_000)
  for (const poll of polls) expect((await poll).status).toBe(500)
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(
    /^settle: the hook did not return within 30 seconds\. Set a timeout/,
  )
  expect(await (await status()).json()).toEqual({ phase: 'paid' })
  expect(hooks.settle).toHaveBeenCalledTimes(2)
  expect(vi.getTimerCount()).toBe(0)
})

/** A service whose retrieves respond when the test says so. */
async function heldService(status: string) {
  const pending: (() => void)[] = []
  const service = await scriptedService((response, request) => {
    if (request.method === 'POST') return created({ id: 'pi_next' })(response, request)
    pending.push(() => void retrieved({ status })(response, request))
  })
  return { service, pending }
}

test('three concurrent polls and a reconcile settle once, and raise the attempt by one', async () => {
  const { service, pending } = await heldService('failed')
  const calls: number[] = []
  const { handle, row, status } = shop(service.url, {
    row: { intentId: 'pi_first' },
    settle: async ({ nextAttempt }) => {
      calls.push(nextAttempt)
      await new Promise((resolve) => setTimeout(resolve, 10))
      // Even a hook without a condition runs once for calls that overlap.
      Object.assign(row, { intentId: null, attempt: (row.attempt ?? 1) + 1 })
    },
  })
  const polls = [status('A-1001'), status('A-1001'), status('A-1001')]
  const reconciled = handle.reconcile([{ ...order, intentId: 'pi_first' }])
  await expect.poll(() => pending.length).toBe(4)
  for (const respond of pending) respond()
  const phases = await Promise.all(polls.map(async (poll) => (await poll).json()))
  expect(phases).toEqual(Array.from({ length: 3 }, () => ({ phase: 'failed' })))
  expect(await reconciled).toMatchObject({ orders: 1, failed: 1 })
  expect([calls, row.attempt]).toEqual([[2], 2])
})

test('each call after a settlement that ended runs settle again', async () => {
  const { service, pending } = await heldService('succeeded')
  const settle = vi.fn().mockRejectedValueOnce(new Error('database down'))
  const { status } = shop(service.url, { ...stored, settle })
  // The second call joins no settlement that has failed, although both overlap.
  const polls = [status(), status(), status()]
  await expect.poll(() => pending.length).toBe(3)
  const results: number[] = []
  for (const [index, poll] of polls.entries()) {
    pending[index]?.()
    results.push((await poll).status)
  }
  expect([results, settle.mock.calls.length]).toEqual([[500, 200, 200], 2])
  const last = status()
  await expect.poll(() => pending.length).toBe(4)
  pending[3]?.()
  await last
  expect(settle).toHaveBeenCalledTimes(3)
})

test.each<[string, object, object]>([
  ['two merchants with the same ids', { merchant: 'a' }, { merchant: 'b' }],
  ['two orders of clients without tenant', { orderId: 'A-1' }, { orderId: 'B-2' }],
])('settles %s separately', async (_, ...rows) => {
  const settled: object[] = []
  const clientOf = (row: HandoffOrder & { readonly merchant?: string }) => ({
    retrieve: async (id: string) => ({ ...row, id, status: 'succeeded' }),
    ...(row.merchant && { tenant: async () => row.merchant }),
  })
  const handle = handlerOf({
    intents: ({ order }) => clientOf(order) as never,
    settle: async ({ order }) => {
      settled.push(order)
      await new Promise((resolve) => setTimeout(resolve, 10))
    },
  })
  const orders = rows.map((row) => ({ ...order, intentId: 'pi_1', ...row }))
  expect(await handle.reconcile(orders)).toMatchObject({ orders: 2, paid: 2 })
  expect(settled).toEqual(orders)
})

test('a delayed poll does not raise the attempt again after the next handoff', async () => {
  const { service, pending } = await heldService('failed')
  const { handoff, row, status } = shop(service.url, { row: { intentId: 'pi_first' } })
  const other = shop(service.url, {
    order: () => ({ ...order, intentId: 'pi_first' }), // Another process read the order earlier.
    settle: ({ intent, nextAttempt }) => {
      if (row.intentId === intent.id) Object.assign(row, { intentId: null, attempt: nextAttempt })
    },
  })
  const polls = [status('A-1001'), other.status('A-1001')]
  await expect.poll(() => pending.length).toBe(2)
  pending[0]?.()
  await Promise.race(polls)
  expect(row).toMatchObject({ attempt: 2, intentId: null })
  await handoff({})
  pending[1]?.()
  await Promise.all(polls)
  expect(row).toMatchObject({ attempt: 2, intentId: 'pi_next' })
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
