import { afterAll, beforeAll, expect, test } from 'vitest'
import { rawAnswer, rawRequest } from '../support/raw-request.ts'
import {
  create,
  described,
  order,
  retrieve,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(async () => await service.stop())

async function problem(answer: Response): Promise<Record<string, unknown>> {
  expect(answer.headers.get('content-type')).toBe('application/problem+json')
  return (await answer.json()) as Record<string, unknown>
}

test('a created intent carries what was sent, an id, a secret and nothing chosen yet', async () => {
  const sent = {
    ...order,
    currency: 'amd',
    customer: { id: 'c-1', name: 'Ani' },
    metadata: { cart: '7' },
  }
  const answer = await create(service, sent)
  const body = (await answer.json()) as Record<string, unknown>
  expect(answer.status).toBe(201)
  expect(answer.headers.get('location')).toBe(`/payment-intents/${body.id}`)
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('request-id')).toMatch(/^req_[A-Za-z0-9]{20}$/)
  expect(body).toEqual({
    id: expect.stringMatching(/^pi_[A-Za-z0-9]{24}$/),
    amount: 150000,
    currency: 'AMD',
    orderId: 'A-1001',
    clientSecret: expect.stringMatching(new RegExp(`^${body.id}_secret_[A-Za-z0-9]{48}$`)),
    customer: { id: 'c-1', name: 'Ani' },
    metadata: { cart: '7' },
    status: 'requires_payment_method',
    paymentMethod: null,
    lastPaymentFailure: null,
    nextAction: null,
    providerPaymentId: null,
    createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updatedAt: body.createdAt,
  })
})

test('a retrieved intent is the created one without its secret (threat 12)', async () => {
  const { clientSecret, ...created } = (await (await create(service)).json()) as Record<
    string,
    unknown
  >
  const answer = await retrieve(service, String(created.id))
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual(created)
  expect(clientSecret).toBeTruthy()
})

test('a retry with the same key and body gets the same bytes', async () => {
  const key = { 'idempotency-key': 'retry-1' }
  const first = await create(service, order, key)
  const second = await create(service, '{"orderId":"A-1001","currency":"amd","amount":1.5e5}', key)
  expect(second.status).toBe(201)
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await second.text()).toBe(await first.text())
})

test('a quoted key equals the bare one', async () => {
  const first = await create(service, order, { 'idempotency-key': 'quoted' })
  const second = await create(service, order, { 'idempotency-key': '"quoted"' })
  expect(await second.text()).toBe(await first.text())
})

test('a key that comes back with another body is refused and shows nothing of the first (threat 18)', async () => {
  const key = { 'idempotency-key': 'other-body' }
  const first = (await (await create(service, order, key)).json()) as { id: string }
  const answer = await create(service, { ...order, amount: 150001 }, key)
  expect(answer.status).toBe(422)
  const text = await answer.text()
  expect(JSON.parse(text)).toMatchObject({ code: 'idempotency_key_reused', retryable: false })
  expect(text).not.toContain(first.id)
})

test('fifty parallel creates with one key make one intent (threat 20)', async () => {
  const key = { 'idempotency-key': 'parallel' }
  const answers = await Promise.all(Array.from({ length: 50 }, () => create(service, order, key)))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1)
})

test('a refused create leaves its key free (threat 22)', async () => {
  const key = { 'idempotency-key': 'fixed-later' }
  expect((await create(service, { ...order, amount: 0 }, key)).status).toBe(400)
  const fixed = await create(service, order, key)
  expect(fixed.status).toBe(201)
  expect(fixed.headers.get('idempotent-replayed')).toBeNull()
})

const refusedFields: readonly [body: object, pointer: string, code: string, words: string][] = [
  [{ ...order, amount: 19.99 }, '/amount', 'not_an_integer', '19.99 USD is 1999'],
  [{ ...order, amount: '100' }, '/amount', 'invalid_type', 'must be a JSON number'],
  [{ ...order, amount: 0 }, '/amount', 'too_small', 'at least 1'],
  [{ ...order, amount: -5 }, '/amount', 'too_small', 'at least 1'],
  [{ amount: 1, currency: 'AMD' }, '/orderId', 'required', 'is required'],
  [{ ...order, currency: 'GBP' }, '/currency', 'not_supported', 'AMD, USD, EUR, RUB'],
  [{ ...order, currency: ' AMD' }, '/currency', 'not_supported', 'AMD, USD, EUR, RUB'],
  [
    { ...order, orderId: '0b5a7a52-52d3-4a39-8e8c-0f3f6a1a2b3c' },
    '/orderId',
    'too_long',
    'a UUID has 36',
  ],
  [{ ...order, orderId: '' }, '/orderId', 'too_short', 'at least 1'],
  [{ ...order, orderId: 'a\u0000' }, '/orderId', 'forbidden_character', 'control'],
  [{ ...order, orderId: 'a\u202eb' }, '/orderId', 'forbidden_character', 'text-direction'],
  [{ ...order, customer: {} }, '/customer/id', 'required', 'is required'],
  [{ ...order, customer: { id: 'c', email: 'ani' } }, '/customer/email', 'invalid_format', '@'],
  [{ ...order, metadata: { a: 1 } }, '/metadata/a', 'invalid_type', 'must be a string'],
  [{ ...order, metadata: { ['k'.repeat(41)]: 'v' } }, '', 'too_long', 'at most 40'],
]

for (const [body, pointer, code, words] of refusedFields) {
  test(`a wrong field is named with its rule: ${pointer} ${code} ${words}`, async () => {
    const answer = await create(service, body)
    expect(answer.status).toBe(400)
    const { errors } = (await problem(answer)) as { errors: Record<string, string>[] }
    expect(errors).toContainEqual(
      expect.objectContaining({
        code,
        pointer: expect.stringContaining(pointer),
        detail: expect.stringContaining(words),
      }),
    )
  })
}

const floods: readonly (readonly [what: string, path: string, body: object, omitted: number])[] = [
  ['6,000 unknown fields', '/payment-intents', { ...order, ...fields(6000, 1) }, 5980],
  ['6,000 unknown fields without a key', '/checkout-api/session', fields(6000, 1), 5983],
  ['5,000 wrong metadata values', '/payment-intents', { ...order, metadata: fields(5000, 1) }, 0],
  ['50 wrong metadata values', '/payment-intents', { ...order, metadata: fields(50, 1) }, 30],
  [
    'names that JSON writes long',
    '/payment-intents',
    { ...order, ...fields(100, 1, '\u0001'.repeat(70)) },
    86,
  ],
]

for (const [what, path, body, omitted] of floods) {
  test(`an error response names at most 20 fields and counts the rest: ${what}`, async () => {
    const answer = await fetch(service.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(path === '/payment-intents'
          ? { authorization: `Bearer ${service.apiKey}` }
          : { origin: service.url }),
      },
      body: JSON.stringify(body),
    })
    const text = await answer.text()
    expect([answer.status, Buffer.byteLength(text) < 16_000]).toEqual([400, true])
    const { errors, errorsOmitted = 0 } = JSON.parse(text) as {
      errors: readonly { detail: string }[]
      errorsOmitted?: number
    }
    expect(errors.length).toBeGreaterThan(0)
    expect(errors.length).toBeLessThanOrEqual(20)
    expect(errorsOmitted).toBe(omitted)
    for (const { detail } of errors) expect(detail.length).toBeLessThan(300)
  })
}

function fields(count: number, value: unknown, stem = 'f'): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${at}${stem}`, value]))
}

test('a misspelt field is caught by its name', async () => {
  const answer = await create(service, { amount: 1, currency: 'AMD', order_id: 'A-1' })
  expect(await problem(answer)).toMatchObject({
    status: 400,
    code: 'unknown_parameter',
    errors: expect.arrayContaining([expect.objectContaining({ pointer: '/order_id' })]),
  })
})

const refusedTexts: readonly [what: string, text: string, code: string, fault?: string][] = [
  ['an empty body', '', 'malformed_json'],
  ['broken JSON', '{"amount":1', 'malformed_json'],
  ['a byte-order mark', '\uFEFF{}', 'malformed_json'],
  ['null', 'null', 'invalid_body'],
  ['an array', '[]', 'invalid_body'],
  ['a name sent twice', '{"amount":1,"amount":2}', 'invalid_body', 'duplicate_name'],
  ['an escaped name sent twice', '{"amount":1,"\\u0061mount":2}', 'invalid_body', 'duplicate_name'],
  [
    'a number that loses digits',
    '{"amount":9007199254740993}',
    'validation_failed',
    'lossy_number',
  ],
  ['a number beyond a double', '{"amount":1e400}', 'validation_failed', 'lossy_number'],
  ['a long number', `{"amount":1.${'0'.repeat(60_000)}1}`, 'validation_failed', 'too_long'],
  ['a long exponent', `{"amount":1e${'0'.repeat(60_000)}1}`, 'validation_failed', 'too_long'],
  ['41 digits', `{"amount":${'1'.repeat(41)}}`, 'validation_failed', 'too_long'],
  ['__proto__', '{"metadata":{"__proto__":"x"}}', 'validation_failed', 'forbidden_key'],
  ['constructor, nested', '{"customer":{"constructor":{}}}', 'validation_failed', 'forbidden_key'],
  ['six levels', '{"a":{"a":{"a":{"a":{"a":{}}}}}}', 'invalid_body'],
  ['twenty thousand levels', `${'['.repeat(20_000)}${']'.repeat(20_000)}`, 'invalid_body'],
]

for (const [what, text, code, fault] of refusedTexts) {
  test(`JSON with two readings is refused: ${what} (threat 19)`, async () => {
    const body = await problem(await create(service, text))
    expect(body).toMatchObject({ status: 400, code })
    if (fault) expect(body.errors).toContainEqual(expect.objectContaining({ code: fault }))
  })
}

for (const literal of ['100', '100.0', '1e2', '10000e-2', '9007199254740991']) {
  test(`the amount ${literal} is a whole number however it is written (threat 24)`, async () => {
    const answer = await create(service, `{"amount":${literal},"currency":"USD","orderId":"1"}`)
    expect(answer.status).toBe(201)
    expect(await answer.json()).toMatchObject({ amount: Number(literal) })
  })
}

test('a body must be JSON in UTF-8, uncompressed and at most 64 KB (threat 27)', async () => {
  const types = ['text/plain', 'application/merge+json', 'application/json; charset=utf-16']
  for (const type of types) {
    expect((await create(service, order, { 'content-type': type })).status).toBe(415)
  }
  expect((await create(service, order, { 'content-encoding': 'gzip' })).status).toBe(415)
  const large = await create(service, { ...order, metadata: { a: 'x'.repeat(70_000) } })
  expect(await problem(large)).toMatchObject({ status: 413, code: 'payload_too_large' })
})

test('rejects a request without a valid key, and explains how to send one', async () => {
  const { url, apiKey } = service
  const bare = await described(await fetch(`${url}/payment-intents/pi_x`), 'retrieve')
  expect(bare.headers.get('www-authenticate')).toBe('Bearer')
  expect(await problem(bare)).toMatchObject({ status: 401, code: 'missing_credentials' })
  const last = apiKey.endsWith('A') ? 'B' : 'A'
  const wrong = [`${apiKey.slice(0, -1)}${last}`, 'x', 'pi_sk_test_', 'x'.repeat(10_000)]
  const answers = await Promise.all(
    wrong.map(async (key) => await problem(await create({ url, apiKey: key }))),
  )
  for (const { requestId, ...answer } of answers) {
    expect(requestId).toMatch(/^req_/)
    expect(answer).toEqual({ ...answers[0], requestId: undefined })
    expect(answer).toMatchObject({ status: 401, code: 'invalid_credentials' })
  }
})

test('unknown and malformed ids get the same 404, byte for byte (threat 8)', async () => {
  const ids = ['pi_000000000000000000000000', 'x', '%ff', 'a%2fb', '..%2f', 'x'.repeat(200)]
  const bodies = await Promise.all(
    ids.map(async (id) => {
      const answer = await retrieve(service, id)
      expect(answer.status).toBe(404)
      return (await answer.text()).replace(/req_\w+/, '')
    }),
  )
  expect(new Set(bodies).size).toBe(1)
  expect(bodies[0]).toContain('payment_intent_not_found')
})

test('a secret key that comes from a browser is refused without any CORS header (threat 1)', async () => {
  for (const header of ['origin', 'sec-fetch-site']) {
    const answer = await rawAnswer(service.url, [
      'GET /payment-intents/pi_x HTTP/1.1',
      'Host: 127.0.0.1',
      `${header}: null`,
      `Authorization: Bearer ${service.apiKey}`,
    ])
    await described(answer, 'retrieve')
    expect([...answer.headers.keys()].join()).not.toContain('access-control')
    expect(await problem(answer)).toMatchObject({ status: 403, code: 'secret_key_in_browser' })
  }
})

test('only the documented methods and paths exist (threat 30)', async () => {
  const { url } = service
  const { id } = (await (await create(service)).json()) as { id: string }
  const head = await fetch(`${url}/payment-intents/${id}`, {
    method: 'HEAD',
    headers: { authorization: `Bearer ${service.apiKey}` },
  })
  expect(head.status).toBe(200)
  expect(Number(head.headers.get('content-length'))).toBeGreaterThan(100)
  const put = await described(await fetch(`${url}/payment-intents`, { method: 'PUT' }), 'create')
  expect(put.headers.get('allow')).toBe('POST')
  expect(await problem(put)).toMatchObject({ status: 405, code: 'method_not_allowed' })
  const one = `${url}/payment-intents/${id}`
  const remove = await described(await fetch(one, { method: 'DELETE' }), 'retrieve')
  expect(remove.headers.get('allow')).toBe('GET, HEAD')
  for (const path of ['/payment-intents/', '/Payment-Intents/x', '/payment-intents/a/b', '/x']) {
    expect(await problem(await fetch(url + path))).toMatchObject({ status: 404, code: 'not_found' })
  }
})

test('a header that must stand once is refused when it stands twice (threat 21)', async () => {
  const doubled = async (...lines: string[]) => {
    const body = JSON.stringify(order)
    const answer = await rawAnswer(
      service.url,
      [
        'POST /payment-intents HTTP/1.1',
        'Host: 127.0.0.1',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
        ...lines,
      ],
      body,
    )
    return await problem(await described(answer, 'create'))
  }
  const key = `Authorization: Bearer ${service.apiKey}`
  expect(await doubled(key, key)).toMatchObject({ status: 400, code: 'invalid_header' })
  expect(await doubled(key, 'Idempotency-Key: a', 'Idempotency-Key: a')).toMatchObject({
    code: 'invalid_idempotency_key',
  })
  for (const value of ['', 'a b', 'é', '"open', 'x'.repeat(256)]) {
    expect(await doubled(key, `Idempotency-Key: ${value}`)).toMatchObject({
      status: 400,
      code: 'invalid_idempotency_key',
    })
  }
})

test('the known Api-Version is echoed by every answer, a refusal too, and another is refused', async () => {
  const known = await create(service, order, { 'api-version': '2026-11-20' })
  expect(known.headers.get('api-version')).toBe('2026-11-20')
  const refused = [
    await create(service, { ...order, amount: 0 }, { 'api-version': '2026-11-20' }),
    await retrieve(service, 'pi_x', { 'api-version': '2026-11-20' }),
    await retrieve({ ...service, apiKey: 'x' }, 'pi_x', { 'api-version': '2026-11-20' }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 404, 401])
  for (const { headers } of refused) expect(headers.get('api-version')).toBe('2026-11-20')
  const unknown = await create(service, order, { 'api-version': '2020-01-01' })
  expect(unknown.headers.get('api-version')).toBeNull()
  expect(await problem(unknown)).toMatchObject({ status: 400, code: 'unsupported_api_version' })
})

test('nothing but the API answers to a foreign host name (threat 17)', async () => {
  const answer = await rawRequest(service.url, [
    'GET /_sandbox/faults HTTP/1.1',
    'Host: evil.localhost',
  ])
  expect(answer).toContain('HTTP/1.1 400')
  expect(answer).toContain('invalid_host')
})

test('what Node would refuse with a bare status is a problem with an id, kept nowhere', async () => {
  const body = JSON.stringify(order)
  const requests = [
    ['GET /healthz HTTP/1.1'],
    ['GET /payment-intents/pi_x HTTP/1.1', `Authorization: Bearer ${service.apiKey}`],
    [
      ...['POST /payment-intents HTTP/1.1', 'Host: 127.0.0.1', 'Expect: a-miracle'],
      ...['Content-Type: application/json', `Content-Length: ${body.length}`],
      `Authorization: Bearer ${service.apiKey}`,
    ],
  ]
  for (const lines of requests) {
    const answer = await rawRequest(service.url, lines, body)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toMatch(/\r\nRequest-Id: req_[A-Za-z0-9]{20}\r\n/i)
    expect(answer).toMatch(/\r\ncache-control: no-store\r\n/i)
    expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i)
    expect(answer).toContain('"code":"invalid_header"')
  }
  const old = await rawRequest(service.url, ['GET /payment-intents/pi_x HTTP/1.0'])
  expect(old).toMatch(/^HTTP\/1\.1 401 /)
})

test('a retry after the buyer has paid, or the intent is canceled, gets the bytes of its creation', async () => {
  for (const outcome of ['succeeded', 'canceled']) {
    const key = { 'idempotency-key': `moved-on-${outcome}` }
    const first = await (await create(service, order, key)).text()
    const { id } = JSON.parse(first) as { id: string }
    await fetch(`${service.url}/_sandbox/intents/${id}/settle`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.ready.adminToken}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ outcome }),
    })
    expect(await (await retrieve(service, id)).json()).toMatchObject({ status: outcome })
    const replay = await create(service, order, key)
    expect(replay.headers.get('idempotent-replayed')).toBe('true')
    expect(await replay.text()).toBe(first)
  }
})

test('of several faults the first check tells its own: browser, media type, key, header, version, JSON', async () => {
  const faults = [
    [{ origin: 'http://localhost:3000' }, 'secret_key_in_browser'],
    [{ 'content-type': 'text/plain' }, 'unsupported_media_type'],
    [{ authorization: 'Bearer wrong' }, 'invalid_credentials'],
    [{ 'idempotency-key': 'a b' }, 'invalid_idempotency_key'],
    [{ 'api-version': '2020-01-01' }, 'unsupported_api_version'],
    [{}, 'malformed_json'],
  ] as const
  for (const [at, [, code]] of faults.entries()) {
    const rest: Record<string, string> = Object.assign(
      {},
      ...faults.slice(at).map(([sent]) => sent),
    )
    const lines = {
      host: '127.0.0.1',
      authorization: `Bearer ${service.apiKey}`,
      'content-type': 'application/json',
      'content-length': '7',
      ...rest,
    }
    const answer = await rawRequest(
      service.url,
      [
        'POST /payment-intents HTTP/1.1',
        ...Object.entries(lines).map(([name, value]) => `${name}: ${value}`),
      ],
      'no json',
    )
    expect(answer).toContain(`"code":"${code}"`)
  }
})
