import { piService, type StartedProgram, startProgram } from '@pi-checkout/test-support/process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'

interface Target {
  readonly apiKey: string
  readonly baseUrl: string
  readonly fetch: typeof globalThis.fetch
}

/** The service as a process of its own: this package knows it over HTTP alone. */
let real: Target
let service: StartedProgram | undefined

beforeAll(async () => {
  service = await startProgram([piService, 'start', '--memory', '--json', '--port', '0'])
  const { apiKey, baseUrl } = JSON.parse(service.line)
  real = { apiKey, baseUrl, fetch: globalThis.fetch }
}, 120_000)

afterAll(async () => await service?.stop())

const targets: [string, () => Target][] = [
  ['the fake service', () => fakeService().options],
  ['the real service', () => real],
]

let orders = 0
function newOrder(): { amount: number; currency: string; orderId: string } {
  return { amount: 150000, currency: 'AMD', orderId: `contract-${++orders}` }
}

interface Ask {
  readonly method?: string
  readonly path?: string
  readonly body?: unknown
  readonly key?: string
  readonly headers?: Record<string, string | undefined>
}

async function ask({ apiKey, baseUrl, fetch }: Target, request: Ask): Promise<Response> {
  const { method = 'POST', path = '/payment-intents', body, key } = request
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(key === undefined ? {} : { 'idempotency-key': key }),
    ...request.headers,
  }
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => !!entry[1])
  return fetch(baseUrl + path, {
    method,
    headers: Object.fromEntries(sent),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
}

const valid = { amount: 1, currency: 'USD', orderId: 'contract' }
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
const refusals: [string, Ask, number, string][] = [
  [
    'a missing key',
    { body: valid, headers: { authorization: undefined } },
    401,
    'missing_credentials',
  ],
  [
    'an unknown key',
    { body: valid, headers: { authorization: 'Bearer nobody' } },
    401,
    'invalid_credentials',
  ],
  [
    'another scheme',
    { body: valid, headers: { authorization: 'Basic bm8=' } },
    401,
    'invalid_credentials',
  ],
  [
    'a browser',
    { body: valid, headers: { origin: 'https://shop.example' } },
    403,
    'secret_key_in_browser',
  ],
  [
    'plain text',
    { body: valid, headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
  ],
  ['broken JSON', { body: '{' }, 400, 'malformed_json'],
  [
    'an empty body',
    { body: '', headers: { 'content-type': 'application/json' } },
    400,
    'malformed_json',
  ],
  ['null', { body: 'null' }, 400, 'invalid_body'],
  ['a list', { body: '[]' }, 400, 'invalid_body'],
  ['19.99', { body: { ...valid, amount: 19.99 } }, 400, 'validation_failed'],
  ['zero', { body: { ...valid, amount: 0 } }, 400, 'validation_failed'],
  ['a text amount', { body: { ...valid, amount: '1' } }, 400, 'validation_failed'],
  ['GBP', { body: { ...valid, currency: 'GBP' } }, 400, 'validation_failed'],
  ['a UUID as orderId', { body: { ...valid, orderId: uuid } }, 400, 'validation_failed'],
  ['a missing orderId', { body: { amount: 1, currency: 'USD' } }, 400, 'validation_failed'],
  ['a customer without id', { body: { ...valid, customer: {} } }, 400, 'validation_failed'],
  ['metadata of numbers', { body: { ...valid, metadata: { a: 1 } } }, 400, 'validation_failed'],
  ['an unknown field', { body: { ...valid, order_id: 'x' } }, 400, 'unknown_parameter'],
  ['a long idempotency key', { body: valid, key: 'x'.repeat(256) }, 400, 'invalid_idempotency_key'],
  ['a blank idempotency key', { body: valid, key: 'a b' }, 400, 'invalid_idempotency_key'],
  ['64 KB and one byte', { body: `"${'x'.repeat(65_535)}"` }, 413, 'payload_too_large'],
  ['another method', { method: 'DELETE' }, 405, 'method_not_allowed'],
  ['a list of intents', { method: 'GET' }, 405, 'method_not_allowed'],
  [
    'a change of an intent',
    { method: 'POST', path: '/payment-intents/pi_x', body: valid },
    405,
    'method_not_allowed',
  ],
  [
    'an unknown intent',
    { method: 'GET', path: '/payment-intents/pi_x' },
    404,
    'payment_intent_not_found',
  ],
  [
    'a malformed id',
    { method: 'GET', path: '/payment-intents/a%2fb' },
    404,
    'payment_intent_not_found',
  ],
  ['a deeper path', { method: 'GET', path: '/payment-intents/pi_x/y' }, 404, 'not_found'],
  ['a trailing slash', { method: 'GET', path: '/payment-intents/' }, 404, 'not_found'],
  ['another path', { method: 'GET', path: '/refunds' }, 404, 'not_found'],
]

for (const [name, target] of targets) {
  test(`${name} answers a create with the whole intent and its secret`, async () => {
    const order = newOrder()
    const response = await ask(target(), {
      body: { ...order, currency: 'amd' },
      key: order.orderId,
    })
    expect(response.status).toBe(201)
    const intent = (await response.json()) as Record<string, string>
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

  test(`${name} answers keys in one fixed order`, async () => {
    const response = await ask(target(), { body: newOrder() })
    expect(Object.keys((await response.json()) as object)).toEqual([
      'id',
      'amount',
      'currency',
      'orderId',
      'clientSecret',
      'customer',
      'metadata',
      'status',
      'paymentMethod',
      'lastPaymentFailure',
      'nextAction',
      'providerPaymentId',
      'createdAt',
      'updatedAt',
    ])
  })

  test(`${name} replays the same bytes for the same key and body, however it is spelled`, async () => {
    const { orderId, ...money } = newOrder()
    const asked = target()
    const first = await ask(asked, { body: { orderId, ...money }, key: orderId })
    const body = { ...money, currency: 'amd', orderId, customer: null }
    const second = await ask(asked, { body, key: orderId })
    expect(second.status).toBe(201)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await second.text()).toBe(await first.text())
  })

  test(`${name} refuses a key with another body and shows nothing of the first`, async () => {
    const order = newOrder()
    const asked = target()
    const first = await ask(asked, { body: order, key: order.orderId })
    const { id } = (await first.json()) as { id: string }
    const second = await ask(asked, { body: { ...order, amount: 1 }, key: order.orderId })
    expect(second.status).toBe(422)
    const text = await second.text()
    expect(JSON.parse(text)).toMatchObject({ code: 'idempotency_key_reused', retryable: false })
    expect(text).not.toContain(id)
  })

  test(`${name} makes two intents without a key`, async () => {
    const order = newOrder()
    const asked = target()
    const [one, two] = await Promise.all([ask(asked, { body: order }), ask(asked, { body: order })])
    const [a, b] = [await one.json(), await two.json()] as { id: string }[]
    expect(a?.id).not.toBe(b?.id)
  })

  test(`${name} makes one intent of 20 parallel creates with one key`, async () => {
    const order = newOrder()
    const asked = target()
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => ask(asked, { body: order, key: order.orderId })),
    )
    const bodies = await Promise.all(answers.map((answer) => answer.text()))
    expect(new Set(bodies).size).toBe(1)
    expect(answers.filter((it) => it.headers.get('idempotent-replayed') === null)).toHaveLength(1)
  })

  test(`${name} keeps no refusal under its key`, async () => {
    const order = newOrder()
    const asked = target()
    const refused = await ask(asked, { body: { ...order, amount: 0 }, key: order.orderId })
    expect(refused.status).toBe(400)
    expect((await ask(asked, { body: order, key: order.orderId })).status).toBe(201)
  })

  test(`${name} retrieves without the secret`, async () => {
    const order = { ...newOrder(), customer: { id: 'c1', name: 'Ani' }, metadata: { cart: '7' } }
    const asked = target()
    const created = await ask(asked, { body: order, key: order.orderId })
    const { clientSecret: _, ...intent } = (await created.json()) as Record<string, string>
    const response = await ask(asked, { method: 'GET', path: `/payment-intents/${intent.id}` })
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(intent)
  })

  for (const [what, request, status, code] of refusals) {
    test(`${name} answers ${what} with ${status} ${code} (threats 24, 25)`, async () => {
      const response = await ask(target(), request)
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      expect(response.headers.get('www-authenticate')).toBe(
        status === 401
          ? code === 'missing_credentials'
            ? 'Bearer'
            : 'Bearer error="invalid_token"'
          : null,
      )
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
      const faulty = code === 'validation_failed' || code === 'unknown_parameter'
      if (faulty) expect(body.errors).toHaveLength(1)
    })
  }

  test(`${name} and the client agree from create to retrieve`, async () => {
    const intents = new PaymentIntents(target())
    const order = { amount: 1999, currency: 'usd', orderId: newOrder().orderId } as const
    const first = await intents.create(order)
    const second = await intents.create(order)
    expect([first.replayed, second.replayed]).toEqual([false, true])
    expect(second.handoff).toEqual(first.handoff)
    expect(await intents.retrieve(first.intent.id)).toEqual(first.intent)
    expect((await intents.create(order, { attempt: 2 })).intent.id).not.toBe(first.intent.id)
  })
}
