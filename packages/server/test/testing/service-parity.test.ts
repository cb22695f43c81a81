import { requestFaults, statusFaults } from '@pi-checkout/contract/sandbox'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { afterAll, expect, test, vi } from 'vitest'
import { PaymentIntents } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'

interface Target {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch
}

// The first test of the real service starts it.
vi.setConfig({ testTimeout: 120_000 })

let service: Promise<Program<ServiceReady>> | undefined

/** The service as a separate process, used over HTTP only. */
async function realService(): Promise<Target> {
  service ??= startService(['--memory'])
  const { apiKey, baseUrl } = (await service).ready
  return { apiKey, baseUrl, fetch: globalThis.fetch }
}

afterAll(async () => await (await service)?.stop())

const fake = fakeService()
const targets: [string, () => Promise<Target>][] = [
  ['the fake service', async () => fake.options],
  ['the real service', realService],
]

let orders = 0
function newOrder(): { amount: number; currency: string; orderId: string } {
  return { amount: 150000, currency: 'AMD', orderId: `contract-${++orders}` }
}

interface RequestParts {
  readonly method?: string
  readonly path?: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string>
}

async function send({ apiKey, baseUrl, fetch }: Target, request: RequestParts): Promise<Response> {
  const { method = 'POST', path = '/payment-intents', body, key } = request
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...request.headers,
  }
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value.replace('API_KEY', apiKey)]] : [],
  )
  return fetch(baseUrl + path, {
    method,
    headers: Object.fromEntries(given),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

type Rejection<Request> = readonly [request: Request, status: number, code: string]

/** Headers that both operations reject. */
const headers: readonly Rejection<Record<string, string>>[] = [
  [{ authorization: '' }, 401, 'missing_credentials'],
  [{ authorization: 'Bearer no' }, 401, 'invalid_credentials'],
  [{ authorization: 'Basic bm8=' }, 401, 'invalid_credentials'],
  [{ authorization: 'Bearer API_KEY x' }, 401, 'invalid_credentials'],
  [{ authorization: 'x Bearer API_KEY' }, 401, 'invalid_credentials'],
  [{ origin: 'https://shop.example' }, 403, 'secret_key_in_browser'],
  [{ 'api-version': '2020' }, 400, 'unsupported_api_version'],
]
const createHeaders: typeof headers = [
  [{ 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
  [{ 'content-type': 'application/json; charset=latin1' }, 415, 'unsupported_media_type'],
  [{ 'content-type': 'application/json; x; charset=utf-8' }, 415, 'unsupported_media_type'],
  [{ 'idempotency-key': 'x'.repeat(256) }, 400, 'invalid_idempotency_key'],
  [{ 'idempotency-key': 'a b' }, 400, 'invalid_idempotency_key'],
]
/** Whole bodies, or changes of a valid body. */
const bodies: readonly Rejection<string | object>[] = [
  ['{', 400, 'malformed_json'],
  ['', 400, 'malformed_json'],
  ['null', 400, 'invalid_body'],
  ['[]', 400, 'invalid_body'],
  [`"${'x'.repeat(65_534)}"`, 400, 'invalid_body'],
  [`"${'x'.repeat(65_535)}"`, 413, 'payload_too_large'],
  [{ amount: 19.99 }, 400, 'validation_failed'],
  [{ amount: 0 }, 400, 'validation_failed'],
  [{ amount: '1' }, 400, 'validation_failed'],
  [{ currency: 'GBP' }, 400, 'validation_failed'],
  [{ orderId: '0f8fad5b-d9cb-469f-a165-70867728950e' }, 400, 'validation_failed'],
  [{ orderId: undefined }, 400, 'validation_failed'],
  [{ customer: {} }, 400, 'validation_failed'],
  [{ metadata: { a: 1 } }, 400, 'validation_failed'],
  [{ order_id: 'x' }, 400, 'unknown_parameter'],
]
const valid = { amount: 1, currency: 'USD', orderId: 'contract' }
const intent = { method: 'GET', path: '/payment-intents/pi_x' }
const rejections: readonly Rejection<RequestParts>[] = [
  ...[...headers, ...createHeaders].map(
    ([headers, ...problem]) => [{ body: valid, headers }, ...problem] as const,
  ),
  ...headers.map(([headers, ...problem]) => [{ ...intent, headers }, ...problem] as const),
  ...bodies.map(
    ([body, ...problem]) =>
      [{ body: typeof body === 'string' ? body : { ...valid, ...body } }, ...problem] as const,
  ),
  [{ method: 'DELETE' }, 405, 'method_not_allowed'],
  [{ method: 'GET' }, 405, 'method_not_allowed'],
  [{ ...intent, method: 'POST', body: valid }, 405, 'method_not_allowed'],
  [intent, 404, 'payment_intent_not_found'],
  [{ method: 'GET', path: '/payment-intents/a%2fb' }, 404, 'payment_intent_not_found'],
  [{ method: 'GET', path: '/payment-intents/pi_x/y' }, 404, 'not_found'],
  [{ method: 'GET', path: '/payment-intents/' }, 404, 'not_found'],
  [{ method: 'GET', path: '/refunds' }, 404, 'not_found'],
]

for (const [name, target] of targets) {
  const sent = async (request: RequestParts) => send(await target(), request)

  test(`${name} returns the whole intent, in a fixed order, and its secret after a create`, async () => {
    const order = newOrder()
    const response = await sent({
      body: { ...order, currency: 'amd' },
      key: order.orderId,
    })
    expect(response.status).toBe(201)
    const intent = (await response.json()) as Record<string, string>
    expect(Object.keys(intent).join(' ')).toBe(
      'id amount currency orderId clientSecret customer metadata status paymentMethod lastPaymentFailure nextAction providerPaymentId createdAt updatedAt',
    )
    expect(intent).toEqual({
      ...order,
      id: expect.stringMatching(/^pi_[A-Za-z0-9]{24}$/),
      clientSecret: expect.stringMatching(new RegExp(`^${intent.id}_secret_[A-Za-z0-9]+$`)),
      customer: null,
      metadata: null,
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: null,
      nextAction: null,
      providerPaymentId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: intent.createdAt,
    })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      location: `/payment-intents/${intent.id}`,
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'request-id': expect.stringMatching(/^req_/),
    })
    expect(response.headers.get('idempotent-replayed')).toBeNull()
  })

  test(`${name} replays the response for the same key and an equal body`, async () => {
    const { orderId, ...money } = newOrder()
    const first = await sent({ body: { orderId, ...money }, key: orderId })
    const body = { ...money, currency: 'amd', orderId, customer: null }
    const second = await sent({ body, key: orderId })
    expect(second.status).toBe(201)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.text()).toBe(await first.text())
  })

  test(`${name} rejects a key with another body and shows nothing of the first`, async () => {
    const order = newOrder()
    const first = await sent({ body: order, key: order.orderId })
    const { id } = (await first.json()) as { id: string }
    const second = await sent({ body: { ...order, amount: 1 }, key: order.orderId })
    expect(second.status).toBe(422)
    const text = await second.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'idempotency_key_reused', retryable: false })
    expect(text).not.toContain(id)
  })

  test(`${name} creates two intents without a key`, async () => {
    const order = newOrder()
    const [one, two] = await Promise.all([sent({ body: order }), sent({ body: order })])
    const [a, b] = [await one.json(), await two.json()] as { id: string }[]
    expect(a?.id).not.toBe(b?.id)
  })

  test(`${name} creates one intent for 20 concurrent requests with one key`, async () => {
    const order = newOrder()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => sent({ body: order, key: order.orderId })),
    )
    const bodies = await Promise.all(responses.map((response) => response.text()))
    expect(new Set(bodies).size).toBe(1)
    expect(responses.filter((it) => it.headers.get('idempotent-replayed') === null)).toHaveLength(1)
  })

  test(`${name} does not store an error under its key`, async () => {
    const order = newOrder()
    const rejected = await sent({ body: { ...order, amount: 0 }, key: order.orderId })
    expect(rejected.status).toBe(400)
    expect((await sent({ body: order, key: order.orderId })).status).toBe(201)
  })

  test(`${name} retrieves without the secret`, async () => {
    const order = { ...newOrder(), customer: { id: 'c1', name: 'Ani' }, metadata: { cart: '7' } }
    const created = await sent({ body: order, key: order.orderId })
    const { clientSecret: _, ...intent } = (await created.json()) as Record<string, string>
    expect(intent).toMatchObject(order)
    const path = `/payment-intents/${intent.id}`
    const response = await sent({ method: 'GET', path })
    const type = 'application/json; charset=utf-8'
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(await response.json()).toEqual(intent)
    expect((await sent({ method: 'HEAD', path })).status).toBe(200)
  })

  for (const headers of [
    { 'content-type': 'Application/JSON ;; charset="UTF-8"' },
    { 'content-type': 'application/json;charset=utf-8' },
    { authorization: 'bearer  API_KEY' },
    { 'idempotency-key': 'x'.repeat(255) },
  ]) {
    test(`${name} accepts ${JSON.stringify(headers).slice(0, 60)}`, async () => {
      expect((await sent({ body: newOrder(), headers })).status).toBe(201)
    })
  }

  test(`${name} lists 20 invalid fields and the number of the others`, async () => {
    const unknown = Array.from({ length: 24 }, (_, at) => [`field${at}`, at])
    const body = { ...newOrder(), amount: 0, ...Object.fromEntries(unknown) }
    expect(await (await sent({ body })).json()).toMatchObject({
      ...{ code: 'unknown_parameter', errors: { length: 20 }, errorsOmitted: 5 },
    })
  })

  for (const [request, status, code] of rejections) {
    const shown = JSON.stringify(request).slice(0, 99)
    test(`${name} rejects ${shown} with ${status} ${code} (threats 24, 25)`, async () => {
      const response = await sent(request)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(response.headers.get('www-authenticate')).toBe(
        status === 401
          ? code === 'missing_credentials'
            ? 'Bearer'
            : 'Bearer error="invalid_token"'
          : null,
      )
      const methods = request.path === undefined ? 'POST' : 'GET, HEAD'
      expect(response.headers.get('allow')).toBe(status === 405 ? methods : null)
      const body = (await response.json()) as { requestId: string; title: string; errors: object[] }
      expect(body).toEqual({
        type: `/docs#${code}`,
        title: expect.any(String),
        status,
        detail: expect.any(String),
        code,
        requestId: response.headers.get('request-id'),
        retryable: false,
        errors: expect.any(Array),
      })
      const hasErrors = /^(validation_failed|unknown_parameter|invalid_body)$/.test(code)
      expect(body.errors).toHaveLength(hasErrors ? 1 : 0)
    })
  }

  test(`${name} and the client agree from create to retrieve`, async () => {
    const intents = new PaymentIntents(await target())
    const order = { amount: 1999, currency: 'usd', orderId: newOrder().orderId } as const
    const first = await intents.create(order)
    const second = await intents.create(order)
    expect([first.replayed, second.replayed]).toEqual([false, true])
    expect(second.handoff).toEqual(first.handoff)
    expect(await intents.retrieve(first.intent.id)).toEqual(first.intent)
    expect((await intents.create(order, { attempt: 2 })).intent.id).not.toBe(first.intent.id)
  })
}

for (const fault of [...requestFaults, ...statusFaults]) {
  test(`the fault ${fault} does the same in the fake and in the real service`, async () => {
    const faked = await faultEffect(fakeWith(fault).options)
    const sandboxFault = { 'sandbox-fault': fault }
    expect(faked).toEqual(await faultEffect(await realService(), sandboxFault))
  })
}

/** Creates a fake service with a fault. The name of its method is the fault in camel case. */
function fakeWith(fault: (typeof requestFaults | typeof statusFaults)[number]): FakeService {
  const service = fakeService()
  const status = statusFaults.find((each) => each === fault)
  if (status) return service.status(Number(status))
  const name = fault.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return service[name as 'stallBody']()
}

/** Creates an intent twice with one key, the first time with a fault, and returns what the client receives. */
async function faultEffect(
  target: Target,
  headers: Record<string, string> = {},
): Promise<{ status?: number; received: string; replayed: boolean }> {
  const body = newOrder()
  const key = body.orderId
  const fetch: typeof target.fetch = (address, init) =>
    target.fetch(address, { ...init, signal: AbortSignal.timeout(1000) })
  const first = await send({ ...target, fetch }, { body, key, headers }).catch(() => undefined)
  const received = await (first?.json() ?? Promise.reject()).then(
    (body) => (body as { code?: string }).code ?? 'an intent',
    (error: unknown) => (error instanceof Error ? error.name : 'no response'),
  )
  const second = await send(target, { body, key })
  expect(second.status).toBe(201)
  const replayed = second.headers.get('idempotent-replayed') === 'true'
  return { ...(first && { status: first.status }), received, replayed }
}
