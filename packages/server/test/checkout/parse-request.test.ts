import { expect, test, vi } from 'vitest'
import { type HandoffProblemCode, handoffProblems } from '../../src/checkout/problem.ts'
import { HandoffRejection } from '../../src/index.ts'
import { captureStderr, orderId, origin, shop } from './shop.ts'

const otherOrigin = /^origin: must be "https:\/\/shop\.example" .* Open the page there, or/
const hiddenOrigin = /^origin: must be "https:\/\/shop\.example" .*Referrer-Policy: no-referrer/
const otherSite = /^sec-fetch-site: must be "same-origin"/
const otherType = /^content-type: must be application\/json in UTF-8\.$/
const withType = (type: string) => ({ 'content-type': type })

/** Headers with which a page of the shop may read a response, also from another origin. */
const readable = {
  'access-control-allow-origin': origin,
  'access-control-allow-credentials': 'true',
}

/** A body of the given number of bytes. */
function bodyOf(bytes: number): string {
  return `{"orderId":"é${'x'.repeat(bytes - 16)}"}`
}

/** Body or headers of rejected handoff requests, and what `onError` gets. */
const rejected: Readonly<Record<string, readonly [string | object, RegExp][]>> = {
  origin_not_allowed: [
    [{ origin: 'http://127.0.0.1:3000' }, otherOrigin],
    [{ origin: 'https://evil.shop.example' }, otherOrigin],
    [{ origin: 'http://shop.example' }, otherOrigin],
    [{ origin: '' }, otherOrigin],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, otherOrigin],
    [{ origin: 'null' }, hiddenOrigin],
    [{ origin: 'null', 'sec-fetch-site': 'same-site' }, hiddenOrigin],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, hiddenOrigin],
    [{ origin: 'null', 'sec-fetch-site': 'none' }, hiddenOrigin],
  ],
  unsupported_media_type: [
    [withType('text/plain'), otherType],
    [withType('application/json; charset=utf-16'), otherType],
    [withType('application/x-www-form-urlencoded'), otherType],
    [withType('x/application/json'), otherType],
    [withType('application/json; charset=utf-8; x'), otherType],
  ],
  malformed_json: ['', '{', 'null', '[]', '"A-1001"', '{"orderId":7}', '{"orderId":""}'].map(
    (body) => [body, /orderId/],
  ),
  payload_too_large: [
    [bodyOf(4097), /too large/],
    [{ 'content-length': '4097' }, /too large/],
  ],
  order_not_found: [
    ['{"orderId":"B-2"}', /^authorize: the hook returned no order\.$/],
    ['{"orderId":"A-1001\\u0000"}', /^orderId: must not contain control/],
    ['{"orderId":"\\ud800"}', /^orderId: must be well-formed/],
    [bodyOf(4096), /^orderId: must have at most 32 characters/],
  ],
}
const rejections = Object.entries(rejected).flatMap(([code, requests]) =>
  requests.map(([request, rule]) => [JSON.stringify(request), code, request, rule] as const),
)

test.each(rejections)('rejects %.60s with %s (threat 36)', async (_, code, request, rule) => {
  const onError = vi.fn()
  const { handoff, service } = shop({ onError })
  const [body, headers] = typeof request === 'string' ? [request, {}] : ['{}', request]
  const response = await handoff(body, { 'x-request-id': 'r'.repeat(200), ...headers })
  const { status } = handoffProblems[code as HandoffProblemCode]
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'no-store, private',
    'content-type': 'application/problem+json',
    'x-content-type-options': 'nosniff',
    vary: 'Origin',
    ...(code === 'origin_not_allowed' ? {} : readable),
  })
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({ type: 'about:blank', status, code, retryable: false })
  expect(text).not.toContain('received')
  expect(onError).toHaveBeenCalledOnce()
  const [{ error }] = onError.mock.calls[0] ?? []
  expect(error).toBeInstanceOf(HandoffRejection)
  const requestId = 'r'.repeat(128)
  const name = 'HandoffRejection'
  expect(error).toMatchObject({ name, code, status, requestId, stack: expect.any(String) })
  expect(error.message).toMatch(rule)
  expect(service.requests).toHaveLength(0)
})

test.each([
  withType('application/json'),
  withType('Application/JSON; charset=utf-8'),
  withType('application/json;charset="UTF-8" '),
  withType('application/json  ;  charset=utf-8'),
  { 'sec-fetch-site': 'same-origin' },
  { 'sec-fetch-site': 'same-site' },
  // With `Referrer-Policy: no-referrer`.
  { origin: 'null', 'sec-fetch-site': 'same-origin' },
  { 'content-length': '4096' },
])('accepts a handoff with %j', async (headers) => {
  expect((await shop().handoff({}, headers)).status).toBe(200)
})

test.each(['{"orderId":"A-1001","_csrf":"x"}', '{"amount":1}', '{"__proto__":{"orderId":"B-2"}}'])(
  'ignores other fields: %s',
  async (body) => {
    expect((await shop().handoff(body)).status).toBe(200)
  },
)

function brokenBody(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.error(new Error('closed')) })
}

test.each<[string, string, number, RequestInit?]>([
  ['without Origin', 'origin_not_allowed', 403, { headers: {} }],
  ['without a body', 'malformed_json', 400],
  ['with an incomplete body', 'body_incomplete', 400, { body: brokenBody(), duplex: 'half' }],
  ['with a body that was read', 'body_already_read', 500, { body: 'read' }],
  ['with a body that is being read', 'body_already_read', 500, { body: 'locked' }],
])('rejects a handoff %s with %s', async (_, code, status, init) => {
  const onError = vi.fn()
  const { checkout } = shop({ onError })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, ...init })
  if (init?.body === 'read') await request.text()
  if (init?.body === 'locked') request.body?.getReader()
  const response = await checkout(request)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code })
  expect(onError.mock.calls.length).toBe(code === 'body_incomplete' ? 0 : 1)
})

test.each([
  [{ origin: 'https://evil.example' }, otherOrigin],
  [{ origin: 'null' }, hiddenOrigin],
  [{ 'sec-fetch-site': 'same-site' }, otherSite],
  [{ 'sec-fetch-site': 'cross-site' }, otherSite],
])('status rejects the request of another site with %j (threat 36)', async (headers, rule) => {
  const hooks = { authorize: vi.fn(), onError: vi.fn() }
  const response = await shop(hooks).status(orderId, headers)
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ code: 'origin_not_allowed' })
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(rule)
  expect(hooks.authorize).not.toHaveBeenCalled()
})

test.each([{ origin }, { origin, 'sec-fetch-site': 'same-site' }, { 'sec-fetch-site': 'none' }])(
  'status accepts the request of its page, and of the address bar, with %j',
  async (headers) => {
    expect((await shop().status(orderId, headers)).status).toBe(200)
  },
)

test.each(['https://shop.example', 'https://www.shop.example'])(
  'a page of %s may use routes of another origin',
  async (page) => {
    const { checkout } = shop({ shopOrigin: ['https://shop.example', 'https://www.shop.example'] })
    const at = (route: string, init: RequestInit): Promise<Response> =>
      checkout(
        new Request(`https://api.shop.example/checkout/${route}`, {
          ...init,
          headers: { origin: page, 'sec-fetch-site': 'same-site', ...init.headers },
        }),
      )
    const preflight = await at('handoff', { method: 'OPTIONS' })
    expect([preflight.status, Object.fromEntries(preflight.headers)]).toEqual([
      204,
      {
        'access-control-allow-origin': page,
        'access-control-allow-credentials': 'true',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'content-type',
        'access-control-max-age': '600',
        vary: 'Origin',
      },
    ])
    const headers = { 'content-type': 'application/json' }
    const handoff = await at('handoff', { method: 'POST', headers, body: '{}' })
    const status = await at('status', {})
    for (const response of [handoff, status]) {
      expect(response.status).toBe(200)
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'access-control-allow-origin': page,
        'access-control-allow-credentials': 'true',
        vary: 'Origin',
      })
    }
  },
)

test('a page of another shop gets no permission to read a response', async () => {
  const { checkout } = shop({ onError: () => {} })
  const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
  for (const method of ['OPTIONS', 'POST', 'GET']) {
    const response = await checkout(new Request(`${origin}/checkout/status`, { method, headers }))
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      403,
      null,
    ])
  }
})

test('only the paths below the base path are routes, also with a slash after them', async () => {
  const { checkout: handle } = shop()
  const others = `/handoff /orders/7/status /orders/7/handoff /checkout/x/status /checkout/else
    /checkout/status// /checkout//status /Checkout/status /checkout/%73tatus //checkout/status
    /?x=/checkout/status /?x=/handoff`
  for (const path of others.split(/\s+/)) {
    const response = await handle(new Request(origin + path))
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.json()).toMatchObject({ code: 'not_found' })
  }
  for (const path of [
    '/checkout/status',
    '/checkout/status/',
    '/checkout/status/?orderId=A-1001',
  ]) {
    expect((await handle(new Request(origin + path))).status).toBe(200)
  }
})

test.each([
  ['/pay', '/pay/status'],
  ['/', '/status'],
  ['/', '/status/'],
  ['/shop/checkout', '/shop/checkout/status?orderId=A-1001'],
])('with the basePath %s the routes are below it only', async (basePath, path) => {
  const { checkout: handle } = shop({ basePath })
  expect(handle.basePath).toBe(basePath)
  expect((await handle(new Request(origin + path))).status).toBe(200)
  expect((await handle(new Request(`${origin}/checkout/status`))).status).toBe(404)
})

test.each(['checkout', '/checkout/', '', '/a b', '/a?b', '/a#b', '//a', '/a/../b', 'http://a', 7])(
  'rejects the basePath %j when the handler is created',
  (basePath) => {
    const create = () => shop({ basePath: basePath as string })
    expect(create).toThrow(
      /^basePath: must be a path such as "\/checkout" without a trailing slash/,
    )
  },
)

test('returns 405 with Allow to other methods', async () => {
  const { checkout: handle } = shop({ onError: () => {} })
  const get = await handle(new Request(`${origin}/checkout/handoff`))
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const post = await handle(new Request(`${origin}/checkout/status`, { method: 'POST' }))
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET'])
})

test('repeats nothing that a request contains', async () => {
  const stderr = captureStderr()
  const long = `pi_sk_test_abc ${'x'.repeat(12_000)}`
  const { checkout, status } = shop({ onError: undefined })
  expect((await status(`7${long}`)).status).toBe(404)
  expect((await status('')).status).toBe(400)
  await checkout(new Request(`${origin}/checkout/status`, { method: `M${'X'.repeat(999)}` }))
  expect(stderr.mock.calls.map(([, line]) => line)).toEqual([
    '/checkout/status returned 404 order_not_found: orderId: must have at most 32 characters; a UUID fits without hyphens.',
    '/checkout/status returned 400 malformed_json: orderId: must be a string that is not empty.',
    '/checkout/status returned 405 method_not_allowed: method: must be GET.',
  ])
})
