import { networkInterfaces } from 'node:os'
import { beforeEach, expect, test } from 'vitest'
import { routes } from '../../shared/routes.ts'
import { Merchant, order, problemOf, sendRaw, startTestService } from '../support/service.ts'

const service = await startTestService()
const live = await service.newKey('Tsiran', 'live')
const environment = service.environmentId
const path = `/environments/${environment}`

beforeEach(async () => void (await service.control('POST', `${path}/reset`)))

// biome-ignore lint/suspicious/noExplicitAny: tests read responses field by field
async function json(...sent: Parameters<typeof service.control>): Promise<any> {
  return await (await service.control(...sent)).json()
}

const settle = async (id: string, outcome: string) =>
  await json('POST', `/intents/${id}/settle`, { outcome })

async function newIntent(key?: string): Promise<string> {
  return (await service.created(order, key ? { 'idempotency-key': key } : {})).id
}

const requests = async () => (await json('GET', `${path}/requests`)).requests
const issues = async () => (await json('GET', `${path}/lint`)).findings
const rules = async () => (await issues()).map(({ rule }: { rule: string }) => rule).sort()

/** Waits until a number of requests is in the log, and returns them, the newest first. */
async function waitForRequests(count: number) {
  await expect.poll(requests).toHaveLength(count)
  return await requests()
}

const exchangeOf = async ({ requestId }: { readonly requestId: string }) =>
  await json('GET', `${path}/requests/${requestId}`)

test('applies deadlines when the clock is advanced and keeps them when it is set back', async () => {
  const id = await newIntent()
  const [clock, offset] = [`${path}/clock`, 25 * 3600_000]
  expect(await json('PUT', clock, { advance: offset })).toMatchObject({ offset })
  expect(await service.statusOf(id)).toBe('expired')
  expect(await json('PUT', clock, { offset: 0 })).toMatchObject({ offset: 0 })
  expect(await service.statusOf(id)).toBe('expired')
  expect(await service.statusOf(await newIntent())).toBe('requires_payment_method')
  expect((await service.control('PUT', clock, { advance: 1e15 })).status).toBe(400)
})

test.each([
  ['succeeded', 'succeeded', []],
  ['declined', 'requires_payment_method', expect.arrayContaining(['requires_action', 'expired'])],
  ['failed', 'failed', []],
  ['canceled', 'canceled', []],
  ['processing', 'processing', ['succeeded', 'declined', 'failed']],
  ['requires_action', 'requires_action', expect.not.arrayContaining(['requires_action'])],
  ['expired', 'expired', []],
])('simulates the outcome %s of an open intent', async (outcome, status, outcomes) => {
  const id = await newIntent()
  expect(await settle(id, outcome)).toEqual({ id, status })
  expect(await service.statusOf(id)).toBe(status)
  expect(await json('GET', `/intents/${id}`)).toMatchObject({ outcomes })
})

const liveId = (await live.created()).id
const livePath = `/payment-intents/${liveId}`
const hidden = { intentId: null, path: '/payment-intents/pi_…' }
const hiddenLonger = { ...hidden, path: '/payment-intents/pi_…/more' }
const ofNobody = { ...hidden, status: 401, environment: null }
const failing = { 'sandbox-fault': '500' }

async function get(at: string, key?: string): Promise<Response> {
  return await fetch(service.url + at, { headers: key ? { authorization: `Bearer ${key}` } : {} })
}

type Logged = [what: string, send: () => Promise<Response>, ...entries: readonly object[]]

/** @see Finding U1 */
function priced(amount: number, currency: string, shown: object): Logged {
  const send = async () => await service.create({ ...order, amount, currency })
  return [`a create of ${amount} ${currency}`, send, { status: 400, order: shown }]
}

test.each<Logged>([
  [
    'a create',
    () => service.create(),
    { method: 'POST', path: '/payment-intents', status: 201, operation: 'create', environment },
  ],
  [
    'a read with its order',
    async () => service.retrieve(await newIntent()),
    { operation: 'retrieve', order: { orderId: 'A-1001', amount: 150000 } },
    { operation: 'create' },
  ],
  [
    'a rejected create with its fields',
    () => service.create({ ...order, amount: 'three', order_id: 'A-1' }),
    { problem: 'unknown_parameter', errors: [{ pointer: '/amount' }, { pointer: '/order_id' }] },
  ],
  priced(15.5, 'AMD', { orderId: 'A-1001', amount: 15.5, currency: 'AMD' }),
  priced(-1, 'USD', { amount: -1, currency: 'USD' }),
  // It could be a card number.
  priced(1e20, 'AMD', { amount: null, currency: 'AMD' }),
  priced(100, 'toString', { amount: 100, currency: null }),
  ['a fault', () => service.create(order, failing), { status: 500, faults: ['500'] }],
  [
    'no secret that is the name of a field',
    () => service.create({ ...order, [service.apiKey]: 1 }),
    { errors: [{ pointer: '/pi_sk_test_…' }] },
  ],
  [
    'a clientSecret in a path',
    () => service.retrieve('pi_1_secret_abc'),
    { path: '/payment-intents/pi_…_secret_…', status: 404 },
  ],
  ['a wrong path', () => get('/payment-intent/1', service.apiKey), { path: '/payment-intent/1' }],
  ['no live id, with a test key', () => service.retrieve(liveId), { ...hidden, status: 404 }],
  ['no live id, without a key', () => get(livePath), hidden],
  ['no live id, with a wrong key', () => get(livePath, 'garbled'), ofNobody],
  ['no live id, of a page', () => fetch(service.url + livePath, { method: 'OPTIONS' }), hidden],
  ['no live id in a longer path', () => get(`${livePath}/more`), hiddenLonger],
])('logs %s', async (_, send, ...entries) => {
  for (const missing of ['/nothing', '/robots.txt']) await get(missing)
  await send()
  expect(await waitForRequests(entries.length)).toMatchObject(entries)
})

test('keeps the key, the response, and a body up to 16 KB of a request', async () => {
  const key = { 'idempotency-key': 'kept-1', 'sandbox-fault': 'malformed-json' }
  const body = ' {"amount":150000, "currency":"AMD","orderId":"A-1001"}'
  await service.create(body, key)
  await service.create({ ...order, metadata: { note: 'x'.repeat(16 * 1024) } })
  const [large, made] = await waitForRequests(2)
  expect(made).toMatchObject({ faults: ['malformed-json'] })
  expect(await exchangeOf(made)).toEqual({
    request: made,
    headers: { 'content-type': 'application/json', ...key },
    responseHeaders: { location: `/payment-intents/${made.intentId}` },
    requestBody: body,
    responseBody: expect.stringMatching(/^{'id":"pi_.*_secret_…"/),
  })
  expect(await exchangeOf(large)).toMatchObject({ requestBody: null })
})

test.each([
  ['an API key', () => service.apiKey],
  ['an escaped API key', () => service.apiKey.replace('pi', '\\u0070i')],
  ['a clientSecret', () => `pi_${'a1'.repeat(12)}_secret_${'b2'.repeat(24)}`],
  ['a card number in groups', () => '4242 4242 4242 4242'],
])('masks %s in keys and bodies', async (_, secretOf) => {
  const secret = secretOf()
  const body = JSON.stringify({ ...order, metadata: { note: '…' } }).replace('…', secret)
  await service.create(body, { 'idempotency-key': `key ${secret.replace('\\u0070', 'p')}` })
  await service.create(body.replace('orderId', 'order_id'))
  const logged = await waitForRequests(2)
  const exchanges = [await exchangeOf(logged[0]), await exchangeOf(logged[1])]
  const places = [logged, exchanges, await issues()]
  for (const canary of [service.apiKey.slice(-20), 'b2b2', '4242424242424242', '4242 4242']) {
    expect(JSON.stringify(places)).not.toContain(canary)
  }
})

/** @see Finding U5 */
test('keeps the newest 500 requests of each environment, and why a create failed', async () => {
  await service.create({ ...order, amount: 0.5 })
  const { apiKey } = await json('POST', '/environments', {})
  const other = new Merchant({ ...service, apiKey })
  for (let round = 0; round < 11; round++) {
    const failing = Array.from({ length: 50 }, () => other.create('no JSON'))
    await Promise.all([...failing, ...failing.map(() => service.create())])
  }
  const others = async () =>
    (await json('GET', `/environments/${other.environmentId}/requests`)).requests
  await expect.poll(others).toHaveLength(500)
  const failed = (await waitForRequests(501)).at(-1)
  const detail = expect.stringMatching(/^amount must be a whole number of minor units/)
  expect(failed).toMatchObject({ detail, errors: [{ pointer: '/amount', detail }] })
  expect(await exchangeOf(failed)).toMatchObject({
    requestBody: expect.stringContaining('"amount":0.5'),
    responseBody: expect.stringMatching(/"pointer":"\/amount".*"detail":"amount/),
  })
  await json('DELETE', `/environments/${other.environmentId}`)
})

test('finds intents by order, status, customer, and card', async () => {
  const customer = { id: 'cust-9', email: 'ani@example.com', name: 'Անի' }
  const paid = await newIntent()
  await settle(paid, 'succeeded')
  await service.create({ ...order, orderId: 'FOUND-1', customer })
  for (const [query, orders] of [
    ...['FOUND-1', 'CUST-9', 'ani@', 'Անի'].map((q) => [{ q }, ['FOUND-1']] as const),
    ...[paid, '4242', 'VISA', 'succeeded'].map((q) => [{ q }, ['A-1001']] as const),
    [{ q: `100%_'` }, []],
  ] as const) {
    const { intents } = await json('GET', `${path}/intents?${new URLSearchParams(query)}`)
    const found = intents.map(({ orderId }: { orderId: string }) => orderId)
    expect([query, found]).toEqual([query, orders])
  }
})

test('lists issues that will cause errors in production', async () => {
  const id = await newIntent('linted-key-1')
  await service.create({ ...order, amount: 1 }, { 'idempotency-key': 'linted-key-1' })
  await newIntent()
  await service.create(order, { origin: 'http://localhost:3000' })
  for (let times = 0; times < 6; times++) await service.retrieve(id)
  await get(`/payment-intents/${id}?api_key=${service.apiKey}`)
  const broken = ['key_reused', 'no_idempotency_key', 'polled_too_fast', 'secret_in_url']
  await expect.poll(rules).toEqual([...broken, 'secret_key_in_browser'])
})

test('a reset clears requests and issues, also without a known key', async () => {
  const sent = [1, 2].map(() => service.create(order, { origin: 'http://a.example' }))
  await Promise.all(sent)
  await expect.poll(requests).toMatchObject(Array(2).fill({ status: 403, environment: null }))
  expect(await issues()).toMatchObject([{ rule: 'secret_key_in_browser' }])
  await json('POST', `${path}/reset`)
  expect([await requests(), await issues()]).toEqual([[], []])
})

test('reports a page that asks to send a key, and no address opened in a browser', async () => {
  const asked = { 'access-control-request-headers': 'authorization' }
  const headers = { origin: 'http://a.example', ...asked }
  await fetch(`${service.url}/payment-intents`, { method: 'OPTIONS', headers })
  await fetch(`${service.url}/payment-intents/pi_1`, { headers: { 'sec-fetch-site': 'none' } })
  await waitForRequests(2)
  expect(await rules()).toEqual(['secret_key_in_browser'])
})

test('lists a page of an unregistered origin as an issue until it is registered', async () => {
  const id = await newIntent('of-a-page')
  const [origin, other] = ['http://localhost:5173', 'http://localhost:5174']
  for (const site of [other, origin]) {
    await fetch(`${service.url}/checkout/${id}`, { headers: { referer: `${site}/cart` } })
  }
  await expect.poll(rules).toEqual(['unregistered_origin', 'unregistered_origin'])
  expect(JSON.stringify([await requests(), await issues()])).not.toContain('/cart')
  const origins = `${path}/origins`
  const registered = { origins: ['http://localhost:3000', origin] }
  expect(await json('POST', origins, { origin })).toEqual(registered)
  expect(await issues()).toMatchObject([{ detail: expect.stringContaining(other) }])
  await service.changeOrigin('add', other)
  expect(await issues()).toEqual([])
  for (const site of [other, origin]) {
    await json('DELETE', `${origins}?origin=${encodeURIComponent(site)}`)
  }
  expect((await service.control('DELETE', `${origins}?origin=${origin}`)).status).toBe(404)
})

test('hides live environments', async () => {
  await live.retrieve(liveId)
  await live.create(order, { origin: 'http://localhost:3000' })
  await fetch(`${service.url}/checkout/${liveId}`, { headers: { referer: 'http://localhost:1/' } })
  const { environments } = await json('GET', '/environments')
  expect(environments).toMatchObject([{ id: environment, merchant: 'Tsiran' }])
  expect([await requests(), await issues()]).toEqual([[], []])
  const ids = { environments: live.environmentId, intents: liveId }
  for (const { method, path: pattern } of Object.values(routes)) {
    const [, kind] = /^\/_sandbox\/(environments|intents)\/:id/.exec(pattern) ?? []
    if (!kind) continue
    const at = pattern.replace('/_sandbox', '').replace(':id', ids[kind as keyof typeof ids])
    const sent = pattern.endsWith('/settle') ? { outcome: 'succeeded' } : { offset: 1 }
    const body = method === 'POST' || method === 'PUT' ? sent : undefined
    const response = await service.control(method, at.replace(/:\w+/, '1'), body)
    expect(response.status, `${method} ${pattern}`).toBe(404)
  }
})

test.each([
  ['GET', `${path}/intents?q=${'x'.repeat(201)}`],
  ['GET', `${path}/intents?q=%00`],
  ['DELETE', `${path}/origins?origin=%00`],
  ['POST', '/environments/%00/reset'],
  ['POST', '/intents/%00/settle'],
] as const)('rejects %s %.60s', async (method, at) => {
  expect((await service.control(method, at)).status).toBe(400)
})

test('requires the admin token for every request', async () => {
  const paths = ['/environments', `${path}/faults`, '/nothing']
  for (const authorization of ['', 'Bearer x', `Bearer ${service.apiKey}`]) {
    for (const each of paths) {
      const response = await fetch(`${service.url}/_sandbox${each}`, { headers: { authorization } })
      const challenge = authorization ? 'Bearer error="invalid_token"' : 'Bearer'
      expect(response.headers.get('www-authenticate')).toBe(challenge)
      expect(await problemOf(response)).toBe('401 invalid_admin_token')
    }
  }
})

const [outside] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')

test.skipIf(!outside).each([
  [404, 'the token', 'loopback', ''],
  [200, 'the token', 'network', ''],
  [401, 'another token', 'network', 'x'],
])('returns %s to another host with %s and PI_SANDBOX=%s', async (status, _, setting, suffix) => {
  const open = await startTestService({ PI_HOST: '0.0.0.0', PI_SANDBOX: setting })
  const { port, host } = new URL(open.url)
  const response = await sendRaw(`http://${outside?.address}:${port}`, [
    'GET /_sandbox/environments HTTP/1.1',
    `Host: ${host}`,
    `Authorization: Bearer ${open.ready.adminToken}${suffix}`,
  ])
  expect(response.status).toBe(status)
})
