import { afterEach, expect, test, vi } from 'vitest'
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
const k1 = `k1:${Buffer.alloc(32, 'the first key').toString('base64url')}`
const k2 = `k2:${Buffer.alloc(32, 'the second key').toString('base64url')}`

afterEach(() => vi.unstubAllEnvs())

interface Shop {
  readonly ask: (body: unknown, headers?: Record<string, string>) => Promise<Response>
  readonly status: (orderId?: string, headers?: Record<string, string>) => Promise<Response>
}

function shop(
  baseUrl: string,
  changes: Partial<HandoffOptions<HandoffOrder>> & { readonly base?: string } = {},
): Shop {
  const { base = origin, ...options } = changes
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl, attempts: 1 }),
    origin: base,
    keys: k1,
    onError: () => {},
    order: (_request, orderId = order.orderId) => (orderId === order.orderId ? order : undefined),
    ...options,
  })
  return {
    ask: (body, headers = {}) =>
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

function cookieOf(response: Response): string {
  const [pair = ''] = response.headers.get('set-cookie')?.split(';') ?? []
  return pair
}

test('the page receives exactly id and clientSecret, never stored', async () => {
  const service = await scriptedService(created())
  const response = await shop(service.url).ask({ orderId: 'A-1001' })
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

test('an empty object asks for the current order of the session', async () => {
  const service = await scriptedService(created())
  expect((await shop(service.url).ask({})).status).toBe(200)
})

for (const base of [
  'http://localhost:3000',
  'http://127.0.0.1:3000',
  'http://shop.localhost:3000',
]) {
  test(`on ${base} the cookie goes without Secure, which WebKit would drop`, async () => {
    const service = await scriptedService(created())
    const response = await shop(service.url, { base }).ask({})
    expect(response.headers.get('set-cookie')).toMatch(
      /^pi-handoff=\S+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Strict$/,
    )
  })
}

for (const bad of [
  'http://shop.example',
  'http://localhost:80',
  'http://localhost.',
  'https://shop.example/path',
  'shop.example',
  '',
  'null',
  undefined,
]) {
  test(`the origin ${bad} is refused when the handler is made`, async () => {
    expect(() =>
      shop('http://127.0.0.1:1', { base: bad as string, origin: bad as string }),
    ).toThrow(/^origin: must be.*received .*createHandoff\(\)/)
  })
}

test('a refused origin is shown without its path, query and password', () => {
  const make = () =>
    createHandoff({
      intents: {} as never,
      origin: 'https://me:word@Shop.example/p?k=s',
      order: () => order,
    })
  expect(make).toThrow(
    'received "https://Shop.example/…". Set the origin option of createHandoff().',
  )
})

test('an origin on this machine with its usual port is not told to be https', () => {
  const make = (base: string) => () => shop('http://127.0.0.1:1', { base, origin: base })
  expect(make('http://localhost:80')).toThrow(/^origin: .*without a path or default port/)
  expect(make('http://shop.example:80')).toThrow(/^origin: must be https/)
})

test('a reload resumes the same intent without a call', async () => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }))
  const { ask } = shop(service.url)
  const first = await ask({})
  const second = await ask({}, { cookie: `other=1; ${cookieOf(first)}` })
  expect(await second.json()).toEqual(await first.json())
  expect(second.headers.get('set-cookie')).toBeNull()
  expect(service.requests).toHaveLength(1)
})

test('a changed cart makes a new intent', async () => {
  const service = await scriptedService(created(), created({ id: 'pi_second' }))
  const first = await shop(service.url).ask({})
  const changed = shop(service.url, { order: () => ({ ...order, amount: 1 }) })
  const second = await changed.ask({}, { cookie: cookieOf(first) })
  expect(await second.json()).toMatchObject({ id: 'pi_second' })
  expect(service.keys()).toHaveLength(2)
})

test('a raised attempt makes a new intent', async () => {
  const service = await scriptedService(created())
  const first = await shop(service.url).ask({})
  const again = shop(service.url, { order: () => ({ ...order, attempt: 2 }) })
  await again.ask({}, { cookie: cookieOf(first) })
  expect(service.keys()).toHaveLength(2)
})

test('an order whose stored intent is another one is asked for again', async () => {
  const service = await scriptedService(created())
  const first = await shop(service.url).ask({})
  const moved = shop(service.url, { order: () => ({ ...order, intentId: 'pi_newer' }) })
  await moved.ask({}, { cookie: cookieOf(first) })
  expect(service.requests).toHaveLength(2)
})

test('a cookie of another session, order, shop or key set is as if absent (threat 37)', async () => {
  const service = await scriptedService(created())
  const mine = { session: () => 'session-1' }
  const first = await shop(service.url, mine).ask({})
  const cookie = cookieOf(first)
  const others: [string, Partial<HandoffOptions<HandoffOrder>> & { base?: string }][] = [
    ['session', { session: () => 'session-2' }],
    ['no session', {}],
    ['order', { ...mine, order: () => ({ ...order, orderId: 'B-2' }) }],
    ['shop', { ...mine, base: 'https://other.example' }],
    ['keys', { ...mine, keys: k2 }],
    ['time', { ...mine, clock: () => Date.now() + 1_810_000 }],
    ['past', { ...mine, clock: () => Date.now() - 60_000 }],
  ]
  for (const [, options] of others) {
    const before = service.requests.length
    const response = await shop(service.url, options).ask({}, { cookie })
    expect(response.status).toBe(200)
    expect(service.requests.length).toBe(before + 1)
  }
  const before = service.requests.length
  for (const broken of [
    `${cookie}x`,
    '__Host-pi-handoff=',
    '__Host-pi-handoff=a.b.c',
    `__Host-pi-handoff=${'x'.repeat(5000)}`,
  ]) {
    await shop(service.url, mine).ask({}, { cookie: broken })
  }
  expect(service.requests.length).toBe(before + 4)
  await shop(service.url, mine).ask({}, { cookie })
  expect(service.requests.length).toBe(before + 4)
})

test('after a key rotation the new key seals and the old one still opens', async () => {
  const service = await scriptedService(created())
  const first = await shop(service.url, { keys: k1 }).ask({})
  const rotated = shop(service.url, { keys: `${k2},${k1}` })
  const second = await rotated.ask({}, { cookie: cookieOf(first) })
  expect(second.status).toBe(200)
  expect(service.requests).toHaveLength(1)
  const fresh = await rotated.ask({})
  const [header = ''] = cookieOf(fresh).split('=')[1]?.split('.') ?? []
  expect(JSON.parse(atob(header))).toEqual({
    alg: 'dir',
    enc: 'A256GCM',
    typ: 'pi-handoff+jwt',
    kid: 'k2',
  })
})

const strangers: [string, Record<string, string>][] = [
  ['another origin', { origin: 'https://evil.example' }],
  ['a sibling host', { origin: 'https://evil.shop.example' }],
  ['the http variant', { origin: 'http://shop.example' }],
  ['origin null', { origin: 'null' }],
  ['no origin', { origin: '' }],
  ['another site by its metadata', { 'sec-fetch-site': 'same-site' }],
  ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
]
for (const [name, headers] of strangers) {
  test(`a handoff asked for by ${name} is refused and makes no intent (threat 36)`, async () => {
    const service = await scriptedService(created())
    const response = await shop(service.url).ask({}, headers)
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ code: 'origin_not_allowed' })
    expect(service.requests).toHaveLength(0)
  })
}

const badBodies: [unknown, Record<string, string>, number, string][] = [
  ['{}', { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['{}', { 'content-type': 'application/json; charset=utf-16' }, 415, 'unsupported_media_type'],
  ['{}', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
  ['', {}, 400, 'malformed_json'],
  ['{', {}, 400, 'malformed_json'],
  ['null', {}, 400, 'malformed_json'],
  ['[]', {}, 400, 'malformed_json'],
  ['"A-1001"', {}, 400, 'malformed_json'],
  ['{"orderId":7}', {}, 400, 'malformed_json'],
  ['{"orderId":""}', {}, 400, 'malformed_json'],
  ['{"orderId":"A-1001","amount":1}', {}, 400, 'unknown_parameter'],
  ['{"amount":1}', {}, 400, 'unknown_parameter'],
  ['{"__proto__":{}}', {}, 400, 'unknown_parameter'],
  [`{"orderId":"${'x'.repeat(5000)}"}`, {}, 413, 'payload_too_large'],
  [{ orderId: 'B-2' }, {}, 404, 'order_not_found'],
]
for (const [body, headers, status, code] of badBodies) {
  const shown = JSON.stringify(body).slice(0, 40)
  test(`the handoff body ${shown} ${Object.values(headers)} is ${status} ${code}`, async () => {
    const service = await scriptedService(created())
    const response = await shop(service.url).ask(body, headers)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ code })
    expect(response.headers.get('cache-control')).toContain('no-store')
    expect(service.requests).toHaveLength(0)
  })
}

const otherPaths = [
  '/handoff',
  '/orders/7/status',
  '/orders/7/handoff',
  '/checkout/else',
  '/checkout/x/status',
  '/checkout/status/',
  '/checkout//status',
  '/Checkout/status',
  '/checkout/%73tatus',
  '//checkout/status',
  '/?x=/checkout/status',
]
test('only the two paths of the base path are routes', async () => {
  const { status } = shop('http://127.0.0.1:1')
  const handle = createHandoff({ intents: {} as never, origin, order: () => undefined })
  for (const path of otherPaths) {
    const response = await handle(new Request(origin + path))
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  }
  expect((await status('A-1001')).status).toBe(200)
})

for (const [basePath, path] of [
  ['/pay', '/pay/status'],
  ['/', '/status'],
  ['/shop/checkout', '/shop/checkout/status?orderId=A-1001'],
] as const) {
  test(`with the basePath ${basePath} the routes are below it alone`, async () => {
    const handle = createHandoff({
      intents: {} as never,
      origin,
      keys: k1,
      basePath,
      order: () => order,
    })
    expect(handle.basePath).toBe(basePath)
    expect((await handle(new Request(origin + path))).status).toBe(200)
    expect((await handle(new Request(`${origin}/checkout/status`))).status).toBe(404)
  })
}

for (const basePath of [
  'checkout',
  '/checkout/',
  '',
  '/a b',
  '/a?b',
  '/a#b',
  '//a',
  '/a/../b',
  'http://a',
  7,
]) {
  test(`the basePath ${JSON.stringify(basePath)} is refused when the handler is made`, () => {
    const make = () =>
      createHandoff({
        intents: {} as never,
        origin,
        basePath: basePath as string,
        order: () => order,
      })
    expect(make).toThrow(`received ${JSON.stringify(String(basePath))}`)
    expect(make).toThrow(/^basePath: must be a path such as "\/checkout"/)
  })
}

test('other methods and paths are refused by name', async () => {
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: 'http://127.0.0.1:1' }),
    origin,
    order: () => order,
    onError: () => {},
  })
  const get = await handle(new Request(`${origin}/checkout/handoff`))
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const post = await handle(new Request(`${origin}/checkout/status`, { method: 'POST' }))
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET'])
  expect((await handle(new Request(`${origin}/checkout/else`))).status).toBe(404)
  expect((await handle(new Request(`${origin}/?x=/handoff`))).status).toBe(404)
})

test('onIntent has stored the intent before the page gets anything', async () => {
  const service = await scriptedService(created())
  const order1: string[] = []
  const { ask } = shop(service.url, {
    onIntent: async (_order, intent) => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      order1.push(intent.id)
      expect(intent).not.toHaveProperty('clientSecret')
    },
  })
  await ask({})
  expect(order1).toEqual(['pi_scripted'])
})

test('when onIntent fails, the page gets no secret and the developer hears why', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const failing = { onIntent: () => Promise.reject(new Error('database down')), onError }
  const response = await shop(service.url, failing).ask({})
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain(secret)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(onError).toHaveBeenCalledWith(new Error('database down'), undefined)
})

test('a paid order gets no handoff', async () => {
  const service = await scriptedService(created())
  const response = await shop(service.url, { order: () => ({ ...order, paid: true }) }).ask({})
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({ code: 'order_already_paid' })
  expect(service.requests).toHaveLength(0)
})

test('an order hook that returns another order is a mistake, not a payment', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const wrong = shop(service.url, { order: () => ({ ...order, orderId: 'C-3' }), onError })
  expect((await wrong.ask({ orderId: 'A-1001' })).status).toBe(500)
  expect(onError.mock.calls[0]?.[0]).toMatchObject({ message: expect.stringMatching(/^order: /) })
  expect(service.requests).toHaveLength(0)
})

const upstream: [string, Parameters<typeof scriptedService>[0], number, string][] = [
  ['refuses for good', problem(422, 'idempotency_key_reused'), 502, 'payment_refused'],
  ['is out of order', problem(503, 'store_unavailable'), 503, 'payment_unavailable'],
  ['does not know the key', problem(401, 'invalid_credentials'), 500, 'internal_error'],
]
for (const [name, step, status, code] of upstream) {
  test(`when the service ${name}, the page gets a public problem without inner reasons`, async () => {
    const service = await scriptedService(step)
    const onError = vi.fn()
    const response = await shop(service.url, { onError }).ask({})
    expect(response.status).toBe(status)
    const body = (await response.json()) as object
    expect(Object.keys(body).sort()).toEqual(['code', 'retryable', 'status', 'title', 'type'])
    expect(body).toMatchObject({ code, retryable: status === 503 })
    expect(JSON.stringify(body)).not.toMatch(/idempotency|store|credential|127\.0\.0\.1/)
    expect(onError).toHaveBeenCalledOnce()
  })
}

test('a missing PI_HANDOFF_KEYS surfaces on the first request, before any intent is made', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', undefined)
  const service = await scriptedService(created())
  const onError = vi.fn()
  const response = await shop(service.url, { keys: undefined, onError }).ask({})
  expect(response.status).toBe(500)
  expect(onError.mock.calls[0]?.[0].message).toMatch(
    /^PI_HANDOFF_KEYS: environment variable is not set\. .*Generate one with .* local sandbox stores its keys/,
  )
  expect(service.requests).toHaveLength(0)
})

for (const keys of [
  'secret',
  'k1:short',
  `${k1},${k1}`,
  `K1:${k1.slice(3)}`,
  `k1:${'A'.repeat(43)}`,
  `k1:${'AB'.repeat(21)}A`,
  `k1:${Buffer.alloc(32, '1234567').toString('base64url')}`,
  '',
]) {
  test(`the handoff keys ${JSON.stringify(keys.slice(0, 9))}… are refused without being printed (threat 70)`, async () => {
    const onError = vi.fn()
    const response = await shop('http://127.0.0.1:1', { keys, onError }).ask({})
    expect(response.status).toBe(500)
    const { message } = onError.mock.calls[0]?.[0] ?? {}
    expect(message).toMatch(/^keys: /)
    expect(message).not.toContain(k1.slice(3))
  })
}

test('without onError, the reason of a 500 is one line on stderr', async () => {
  const heard = vi.spyOn(console, 'error').mockImplementation(() => {})
  await shop('http://127.0.0.1:1', {
    onError: undefined,
    order: () => Promise.reject(new Error('broken hook')),
  }).ask({})
  expect(heard).toHaveBeenCalledWith('pi-checkout handoff:', new Error('broken hook'))
  heard.mockRestore()
})

const rejected: [string, Parameters<Shop['ask']>, string, RegExp][] = [
  [
    'another origin',
    [{}, { origin: 'http://127.0.0.1:3000' }],
    'origin_not_allowed',
    /^origin: must be "https:\/\/shop\.example".*received "http:\/\/127\.0\.0\.1:3000"/,
  ],
  [
    'no origin',
    [{}, { origin: '' }],
    'origin_not_allowed',
    /^origin: must be "https:\/\/shop\.example".*received ""/,
  ],
  [
    'another site',
    [{}, { 'sec-fetch-site': 'cross-site' }],
    'origin_not_allowed',
    /^sec-fetch-site: must be "same-origin"; received "cross-site"/,
  ],
  [
    'another media type',
    ['{}', { 'content-type': 'text/plain' }],
    'unsupported_media_type',
    /^content-type: must be application\/json; received "text\/plain"/,
  ],
  ['an unknown field', ['{"amount":1}'], 'unknown_parameter', /orderId/],
  ['an unknown order', [{ orderId: 'B-2' }], 'order_not_found', /received "B-2"/],
  [
    'a long origin with a secret',
    [{}, { origin: `https://pi_sk_test_abc.${'x'.repeat(200)}` }],
    'origin_not_allowed',
    /received "https:\/\/\[masked\]\.x+…"/,
  ],
]
for (const [what, given, code, message] of rejected) {
  test(`a handoff rejected for ${what} reaches onError once, with what was expected`, async () => {
    const onError = vi.fn()
    const { ask } = shop('http://127.0.0.1:1', { onError })
    const [body, headers] = given
    const response = await ask(body, { 'x-request-id': 'req-7', ...headers })
    expect(onError).toHaveBeenCalledOnce()
    const [error] = onError.mock.calls[0] ?? []
    expect(error).toBeInstanceOf(HandoffRejection)
    const { status } = response
    expect(error).toMatchObject({ code, status, requestId: 'req-7', stack: expect.any(String) })
    expect(error.message).toMatch(message)
    expect(await response.text()).not.toContain('received')
  })
}

test('check() finds missing cookie keys, and what the client finds', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', undefined)
  const service = await scriptedService(problem(404, 'payment_intent_not_found'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const make = (keys?: string) => createHandoff({ intents, origin, keys, order: () => order })
  await expect(make().check()).rejects.toThrow(/^PI_HANDOFF_KEYS: environment variable is not set/)
  expect(service.requests).toHaveLength(0)
  await make(k1).check()
  expect(service.requests).toHaveLength(1)
  await service.close()
  await expect(make(k1).check()).rejects.toMatchObject({ code: 'not_connected' })
})

test('without onError a rejected handoff is one line on stderr', async () => {
  const heard = vi.spyOn(console, 'error').mockImplementation(() => {})
  const headers = { origin: 'https://evil.example\n', 'x-request-id': 'req-7' }
  await shop('http://127.0.0.1:1', { onError: undefined }).ask({}, headers)
  expect(heard.mock.calls).toEqual([
    [
      'pi-checkout handoff:',
      'POST /checkout/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be "https://shop.example", the origin option of createHandoff(); received "https://evil.example". Open the page at that origin, or change the option.',
    ],
  ])
  heard.mockRestore()
})

test('a broken onError costs the page no answer', async () => {
  for (const onError of [
    () => {
      throw new Error('broken listener')
    },
    () => Promise.reject(new Error('broken listener')) as never,
  ]) {
    const failing = { order: () => Promise.reject(new Error('broken hook')), onError }
    expect((await shop('http://127.0.0.1:1', failing).ask({})).status).toBe(500)
  }
})

test('hooks get the context last', async () => {
  const service = await scriptedService(created())
  const seen: string[] = []
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    origin,
    keys: k1,
    order: (_request: Request, _orderId: string | undefined, context: { user: string }) => {
      seen.push(`order ${context.user}`)
      return order
    },
    session: (_request, context) => {
      seen.push(`session ${context.user}`)
      return context.user
    },
    onIntent: (_order, _intent, context) => void seen.push(`onIntent ${context.user}`),
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  expect((await handle(request, { user: 'ani' })).status).toBe(200)
  expect(seen).toEqual(['order ani', 'session ani', 'onIntent ani'])
})

const states: [string, string][] = [
  ['requires_payment_method', 'open'],
  ['requires_action', 'open'],
  ['processing', 'processing'],
  ['succeeded', 'paid'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['expired', 'failed'],
  ['brand_new_status', 'unknown'],
]
for (const [status, state] of states) {
  test(`status tells ${state} of an intent that is ${status}`, async () => {
    const service = await scriptedService(retrieved({ status }))
    const hooks = { onPaid: vi.fn(), onFailed: vi.fn() }
    const asked = shop(service.url, { order: () => ({ ...order, intentId: 'pi_abc' }), ...hooks })
    const response = await asked.status('A-1001')
    expect(await response.json()).toEqual({ state })
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(hooks.onPaid).toHaveBeenCalledTimes(state === 'paid' ? 1 : 0)
    expect(hooks.onFailed).toHaveBeenCalledTimes(state === 'failed' ? 1 : 0)
  })
}

for (const lie of [{ amount: 1 }, { currency: 'USD' }, { orderId: 'B-2' }]) {
  test(`a paid intent with another ${Object.keys(lie)} is never told as paid`, async () => {
    const service = await scriptedService(retrieved({ status: 'succeeded', ...lie }))
    const onPaid = vi.fn()
    const onError = vi.fn()
    const theirs = { order: () => ({ ...order, intentId: 'pi_abc' }), onPaid, onError }
    const response = await shop(service.url, theirs).status('A-1001')
    expect(await response.json()).toEqual({ state: 'unknown' })
    expect(onPaid).not.toHaveBeenCalled()
    expect(onError.mock.calls[0]?.[0].message).toMatch(/is paid but does not match order A-1001/)
  })
}

test('status of a shop without the extra column uses the intent of the cookie', async () => {
  const service = await scriptedService(created(), retrieved({ status: 'succeeded' }))
  const { ask, status } = shop(service.url)
  const cookie = cookieOf(await ask({}))
  const response = await status('A-1001', { cookie })
  expect(await response.json()).toEqual({ state: 'paid' })
  expect(service.requests[1]?.url).toBe('/payment-intents/pi_scripted')
  expect(response.headers.get('set-cookie')).toMatch(
    /^__Host-pi-handoff=; Max-Age=0; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  )
})

test('status clears the cookie of an intent that failed, and another session clears nothing', async () => {
  const service = await scriptedService(created(), retrieved({ status: 'failed' }))
  const mine = shop(service.url, { session: () => 'session-1' })
  const cookie = cookieOf(await mine.ask({}))
  expect((await mine.status('A-1001', { cookie })).headers.get('set-cookie')).toContain('Max-Age=0')
  const theirs = shop(service.url, { session: () => 'session-2' })
  const response = await theirs.status('A-1001', { cookie })
  expect(await response.json()).toEqual({ state: 'open' })
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('status answers for a settled order, or one without an intent, without a call', async () => {
  const service = await scriptedService(retrieved())
  const paid = shop(service.url, { order: () => ({ ...order, intentId: 'pi_abc', paid: true }) })
  expect(await (await paid.status('A-1001')).json()).toEqual({ state: 'paid' })
  expect(await (await shop(service.url).status()).json()).toEqual({ state: 'open' })
  expect(service.requests).toHaveLength(0)
})

test('status of an order that is not theirs reads like one that is not there', async () => {
  const service = await scriptedService(retrieved())
  const response = await shop(service.url).status('B-2')
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'order_not_found' })
})

test('status is not told to other sites', async () => {
  const { status } = shop('http://127.0.0.1:1')
  expect((await status('A-1001', { origin: 'https://evil.example' })).status).toBe(403)
  expect((await status('A-1001', { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
})

test('when onPaid fails, the page hears no paid, and the next poll calls it again', async () => {
  const service = await scriptedService(retrieved({ status: 'succeeded' }))
  const onPaid = vi.fn().mockRejectedValueOnce(new Error('database down'))
  const theirs = { order: () => ({ ...order, intentId: 'pi_abc' }), onPaid, onError: vi.fn() }
  const { status } = shop(service.url, theirs)
  expect((await status('A-1001')).status).toBe(500)
  expect(await (await status('A-1001')).json()).toEqual({ state: 'paid' })
  expect(onPaid).toHaveBeenCalledTimes(2)
})

test('overlapping polls raise attempt once with the documented onFailed', async () => {
  const held: (() => void)[] = []
  const service = await scriptedService((response, request) => {
    if (request.method === 'POST') return created({ id: 'pi_next' })(response, request)
    held.push(() => void retrieved({ status: 'failed' })(response, request))
  })
  const row: { attempt: number; intentId: string | null } = { attempt: 1, intentId: 'pi_first' }
  let calls = 0
  const { ask, status } = shop(service.url, {
    order: () => ({ ...order, ...row }),
    onIntent: (_order, { id }) => void Object.assign(row, { intentId: id }),
    // The statement of guides/reload-and-edited-order.md, on one row.
    onFailed: ({ attempt = 1 }, { id }) => {
      calls++
      if (row.intentId === id) Object.assign(row, { attempt: attempt + 1, intentId: null })
    },
  })
  const polls = [status('A-1001'), status('A-1001'), status('A-1001')]
  await expect.poll(() => held.length).toBe(3)
  for (const release of held.slice(0, 2)) release()
  await Promise.all(polls.slice(0, 2))
  expect(row).toEqual({ attempt: 2, intentId: null })
  await ask({})
  held[2]?.()
  expect(await (await polls[2])?.json()).toEqual({ state: 'failed' })
  expect(row).toEqual({ attempt: 2, intentId: 'pi_next' })
  expect(calls).toBe(3)
})

test('two tabs that ask at once get one intent', async () => {
  const service = await scriptedService((response, request) => {
    setTimeout(() => void created()(response, request), 50)
  })
  const { ask } = shop(service.url)
  const [one, two] = await Promise.all([ask({}), ask({ orderId: 'A-1001' })])
  expect(await one.json()).toEqual(await two.json())
  expect(service.keys()).toHaveLength(1)
})
