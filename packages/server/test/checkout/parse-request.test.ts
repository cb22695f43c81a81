import { expect, test, vi } from 'vitest'
import { type HandoffProblemCode, handoffProblems } from '../../src/checkout/problem.ts'
import { HandoffRejection } from '../../src/index.ts'
import { captureStderr, orderId, origin, shop } from './shop.ts'

const otherOrigin = /^origin: must be "https:\/\/shop\.example"/
const hiddenOrigin = /^origin: must be .*Referrer-Policy: no-referrer/
const otherSite = /^sec-fetch-site: must be "same-origin"/
const otherType = /^content-type: must be application\/json/
const withType = (type: string) => ({ 'content-type': type })

/** Body or headers of rejected handoff requests, and what `onError` gets. */
const rejected: Readonly<Record<string, [string | Record<string, string>, RegExp][]>> = {
  origin_not_allowed: [
    [{ origin: 'https://evil.shop.example' }, otherOrigin],
    [{ origin: 'http://shop.example' }, otherOrigin],
    [{ origin: '' }, otherOrigin],
    [{ origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }, otherOrigin],
    [{ origin: 'null' }, hiddenOrigin],
    [{ origin: 'null', 'sec-fetch-site': 'same-site' }, hiddenOrigin],
    [{ origin: 'null', 'sec-fetch-site': 'cross-site' }, hiddenOrigin],
  ],
  unsupported_media_type: [
    [withType('text/plain'), otherType],
    [withType('application/x-www-form-urlencoded'), otherType],
    [withType('x/application/json'), otherType],
  ],
  malformed_json: ['', '{', 'null', '[]', '"A-1001"', '{"orderId":7}', '{"orderId":""}'].map(
    (body) => [body, /orderId/],
  ),
  payload_too_large: [[' '.repeat(4097), /too large/]],
  order_not_found: [
    ['{"orderId":"B-2"}', /^authorize: the hook returned no order/],
    ['{"orderId":"A-1001\\u0000"}', /^orderId: must not contain control/],
    ['{"orderId":"\\ud800"}', /^orderId: must be well-formed/],
    [`{"orderId":"${'x'.repeat(4000)}"}`, /^orderId: must have at most 32 characters/],
  ],
}
const rejections = Object.entries(rejected).flatMap(([code, requests]) =>
  requests.map(([request, rule]) => [JSON.stringify(request), code, request, rule] as const),
)

test.each(rejections)('rejects %.60s with %s', async (_, code, request, rule) => {
  const onError = vi.fn()
  const { handoff, service } = shop({ onError })
  const [body, headers] = typeof request === 'string' ? [request, {}] : ['{}', request]
  const response = await handoff(body, headers)
  const { status } = handoffProblems[code as HandoffProblemCode]
  expect(response.status).toBe(status)
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'no-store, private',
    'content-type': 'application/problem+json',
    'x-content-type-options': 'nosniff',
  })
  expect(await response.json()).toMatchObject({ type: 'about:blank', status, code })
  expect(onError).toHaveBeenCalledOnce()
  const [{ error }] = onError.mock.calls[0] ?? []
  expect(error).toBeInstanceOf(HandoffRejection)
  expect(error).toMatchObject({ code, status, message: expect.stringMatching(rule) })
  expect(service.requests).toHaveLength(0)
})

test.each<[headers: Record<string, string>, body?: string]>([
  [withType('Application/JSON; charset=utf-8')],
  [{ 'sec-fetch-site': 'same-site' }],
  // With `Referrer-Policy: no-referrer`.
  [{ origin: 'null', 'sec-fetch-site': 'same-origin' }],
  [{}, '{"orderId":"A-1001","_csrf":"x"}'],
  [{}, '{"__proto__":{"orderId":"B-2"}}'],
])('accepts a handoff with %j and the body %s', async (headers, body = '{}') => {
  expect((await shop().handoff(body, headers)).status).toBe(200)
})

const broken = new ReadableStream({ start: (body) => body.error(new Error('closed')) })
test.each<[string, string, number, RequestInit?]>([
  ['without Origin', 'origin_not_allowed', 403, { headers: {} }],
  ['without a body', 'malformed_json', 400],
  ['with an incomplete body', 'body_incomplete', 400, { body: broken, duplex: 'half' }],
  ['with a body that was read', 'body_already_read', 500, { body: 'read' }],
])('rejects a handoff %s with %s', async (_, code, status, init) => {
  const { checkout, errors } = shop()
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, ...init })
  if (init?.body === 'read') await request.text()
  const response = await checkout(request)
  expect(response.status).toBe(status)
  expect(await response.json()).toMatchObject({ code })
  // A client that leaves is no error of the shop.
  expect(errors).toHaveLength(code === 'body_incomplete' ? 0 : 1)
})

test.each<[headers: Record<string, string>, rule?: RegExp]>([
  [{ origin: 'https://evil.example' }, otherOrigin],
  [{ origin: 'null' }, hiddenOrigin],
  [{ 'sec-fetch-site': 'same-site' }, otherSite],
  [{ 'sec-fetch-site': 'cross-site' }, otherSite],
  [{ origin }],
  [{ origin, 'sec-fetch-site': 'same-site' }],
  // The address bar.
  [{ 'sec-fetch-site': 'none' }],
])('status with %j is rejected for %s', async (headers, rule) => {
  const authorize = vi.fn(() => orderId)
  const { status, errors } = shop({ authorize })
  expect((await status(orderId, headers)).status).toBe(rule ? 403 : 200)
  expect(authorize).toHaveBeenCalledTimes(rule ? 0 : 1)
  expect(errors).toMatchObject(rule ? [{ message: expect.stringMatching(rule) }] : [])
})

test.each([
  ['/checkout', '/checkout/status/?orderId=A-1001'],
  ['/', '/status/'],
  ['/shop/checkout', '/shop/checkout/status?orderId=A-1001'],
])('with the basePath %s the routes are below it only', async (basePath, path) => {
  const { checkout: handle } = shop({ basePath })
  expect(handle.basePath).toBe(basePath)
  expect((await handle(new Request(origin + path))).status).toBe(200)
  const others = `/orders/7/handoff /orders/7/status /checkout/x/status /checkout/else /checkout/status//
    /checkout//status /Checkout/status /checkout/%73tatus //checkout/status /?x=/checkout/status`
  for (const other of others.split(/\s+/)) {
    const response = await handle(new Request(origin + other))
    expect([other, response.status]).toEqual([other, 404])
  }
})

test.each(['checkout', '/checkout/', '', '/a b', '/a?b', '//a', '/a/../b', 'http://a', 7])(
  'rejects the basePath %j when the handler is created',
  (basePath) => {
    expect(() => shop({ basePath: basePath as string })).toThrow(/^basePath: must be a path/)
  },
)

test.each([
  ['handoff', 'GET', 'POST'],
  ['status', 'POST', 'GET'],
])('%s returns 405 to %s, and allows %s', async (route, method, allowed) => {
  const response = await shop().checkout(new Request(`${origin}/checkout/${route}`, { method }))
  expect([response.status, response.headers.get('allow')]).toEqual([405, allowed])
})

test('prints nothing that a request contains', async () => {
  const stderr = captureStderr()
  const canary = `pi_sk_test_abc ${'X'.repeat(999)}`
  const { checkout, status, handoff } = shop({ onError: undefined })
  expect((await status(canary)).status).toBe(404)
  await checkout(new Request(`${origin}/checkout/status`, { method: `M${'X'.repeat(999)}` }))
  await handoff({}, { origin: 'https://XXX.example' })
  expect(stderr).toHaveBeenCalledTimes(3)
  expect(String(stderr.mock.calls)).not.toMatch(/pi_sk_test_abc|XXX/)
})
