import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { sendAdminCommand } from '../../src/cli/admin-socket.ts'
import { type Config, readConfig } from '../../src/config.ts'
import type { Queryable } from '../../src/db/database.ts'
import { Call } from '../../src/http/call.ts'
import { createApiKey } from '../../src/merchants/api-keys.ts'
import { ensureEnvironment } from '../../src/merchants/merchants.ts'
import { createTopicNotifier, eventStreams } from '../../src/sandbox/event-stream.ts'
import { openStore } from '../../src/start/open-store.ts'
import { startService } from '../../src/start/start.ts'
import { rawRequest } from '../support/raw-request.ts'
import { control, openChanges, raceForExpiredKeys } from '../support/sandbox.ts'
import { create, order, retrieve, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let live: Pick<TestService, 'url' | 'apiKey'>
let environment: string
let directory: string
let liveEnvironment: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pi-sandbox-'))
  const config = readConfig({ port: '0', data: directory }, {})
  const liveKey = await makeLive(config)
  const running = await startService(config, pino({ enabled: false }))
  service = { ...running, url: running.ready.baseUrl, apiKey: String(running.ready.apiKey) }
  live = { url: service.url, apiKey: liveKey }
  environment = (await json('GET', '/environments')).environments[0].id
})

afterAll(async () => {
  await service.stop()
  await rm(directory, { recursive: true })
})

beforeEach(async () => {
  await control(service, 'POST', '/reset', {})
})

/** A merchant with both environments, as the command line makes them. */
async function makeLive(config: Config): Promise<string> {
  const { db, keys, close } = await openStore(config)
  const now = new Date()
  await ensureEnvironment(db, { merchant: 'Demo Shop', mode: 'test' }, now)
  const made = await ensureEnvironment(db, { merchant: 'Demo Shop', mode: 'live' }, now)
  liveEnvironment = made.id
  const { apiKey } = await createApiKey(db, keys, { environment: made, now })
  await close()
  return apiKey
}

async function json(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
): Promise<any> {
  return await (await control(service, method, path, body)).json()
}

async function make(
  headers: Record<string, string> = {},
  by: Pick<TestService, 'url' | 'apiKey'> = service,
): Promise<string> {
  const { id } = (await (await create(by, order, headers)).json()) as { id: string }
  return id
}

async function statusOf(id: string): Promise<unknown> {
  return ((await (await retrieve(service, id)).json()) as { status: unknown }).status
}

test('a clock set forward lets deadlines pass, and set back makes nothing undone', async () => {
  const id = await make()
  const clock = `/environments/${environment}/clock`
  expect(await json('PUT', clock, { advance: 25 * 3600_000 })).toMatchObject({
    offset: 25 * 3600_000,
  })
  expect(await statusOf(id)).toBe('expired')
  expect(await json('DELETE', clock)).toMatchObject({ offset: 0 })
  expect(await statusOf(id)).toBe('expired')
  expect(await statusOf(await make())).toBe('requires_payment_method')
  expect((await control(service, 'PUT', clock, { advance: 1e15 })).status).toBe(400)
})

test('an idempotency key is free again after 48 hours of the sandbox clock', async () => {
  const first = await make({ 'idempotency-key': 'again' })
  await json('PUT', `/environments/${environment}/clock`, { offset: 49 * 3600_000 })
  expect(await make({ 'idempotency-key': 'again' })).not.toBe(first)
})

test('the list of intents goes back page by page, each intent once, the newest first', async () => {
  const made = await Promise.all(Array.from({ length: 250 }, async () => await make()))
  const list = `/environments/${environment}/intents`
  const seen: { id: string; createdAt: string }[] = []
  for (let older = true, pages = 0; older; pages++) {
    const before = seen.length > 0 ? `?before=${seen.at(-1)?.id}` : ''
    const page = await json('GET', `${list}${before}`)
    expect(page.intents).toHaveLength([200, 50][pages] ?? 0)
    seen.push(...page.intents)
    older = page.older
  }
  expect(new Set(seen.map(({ id }) => id))).toEqual(new Set(made))
  const times = seen.map(({ createdAt }) => createdAt)
  expect(times).toEqual(times.toSorted().reverse())
  expect(await json('GET', `${list}?before=pi_${'0'.repeat(24)}`)).toEqual({
    intents: [],
    older: false,
  })
  expect((await control(service, 'GET', `${list}?before=a%20b`)).status).toBe(400)
})

test('forty requests for one key whose time is over make one intent', async () => {
  await raceForExpiredKeys([service])
})

test.each([
  ['succeeded', 'succeeded'],
  ['declined', 'requires_payment_method'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
  ['processing', 'processing'],
  ['requires_action', 'requires_action'],
  ['expired', 'expired'],
])('an open intent can be brought to %s without a buyer', async (outcome, status) => {
  const id = await make()
  expect(await json('POST', `/intents/${id}/settle`, { outcome })).toEqual({ id, status })
  expect(await statusOf(id)).toBe(status)
})

test('a processing intent waits until it is settled, and then it is final', async () => {
  const id = await make()
  await json('POST', `/intents/${id}/settle`, { outcome: 'processing' })
  expect(await json('POST', `/intents/${id}/settle`, { outcome: 'canceled' })).toMatchObject({
    code: 'attempt_in_progress',
  })
  await json('POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
  const shown = await json('GET', `/intents/${id}`)
  expect(shown).toMatchObject({
    intent: { id, status: 'succeeded', providerPaymentId: expect.stringMatching(/^sim_/) },
    version: 3,
    events: [
      { version: 2, cause: 'confirmed', status: 'processing' },
      { version: 3, cause: 'authorised', status: 'succeeded' },
    ],
    attempts: [{ state: 'succeeded', paymentMethod: { card: { last4: '0077' } } }],
  })
  expect(await json('POST', `/intents/${id}/settle`, { outcome: 'declined' })).toMatchObject({
    code: 'intent_finalized',
  })
})

test('an intent at the bank is confirmed there, or expires, and a processing one does neither', async () => {
  const [passed, late, taken] = [await make(), await make(), await make()]
  const bring = async (id: string, outcome: string) =>
    await json('POST', `/intents/${id}/settle`, { outcome })
  for (const id of [passed, late]) {
    expect(await bring(id, 'requires_action')).toEqual({ id, status: 'requires_action' })
  }
  await bring(passed, 'succeeded')
  const { events } = await json('GET', `/intents/${passed}`)
  expect(events.map(({ cause }: { cause: string }) => cause)).toEqual([
    'confirmed',
    'challenge_passed',
    'authorised',
  ])
  expect(await bring(late, 'expired')).toEqual({ id: late, status: 'expired' })
  expect((await json('GET', `/intents/${late}`)).attempts).toMatchObject([{ state: 'abandoned' }])
  await bring(taken, 'processing')
  for (const outcome of ['requires_action', 'expired', 'canceled']) {
    expect(await bring(taken, outcome)).toMatchObject({ code: 'attempt_in_progress' })
  }
})

test('a revoked clientSecret opens no checkout', async () => {
  const made = (await (await create(service)).json()) as { id: string; clientSecret: string }
  const { id, clientSecret } = made
  const open = async (): Promise<number> => {
    const origin = 'http://localhost:3000'
    const answer = await fetch(`${service.url}/checkout-api/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: service.url },
      body: JSON.stringify({ id, clientSecret, origin }),
    })
    return answer.status
  }
  expect(await open()).toBe(200)
  expect(await json('POST', `/intents/${id}/revoke-secret`)).toEqual({ id, secretRevoked: true })
  expect(await open()).toBe(404)
  expect(await json('GET', `/intents/${id}`)).toMatchObject({ secretRevoked: true })
})

test('an export, imported after a reset, brings back intents, timelines, secrets and replays', async () => {
  const key = { 'idempotency-key': 'kept' }
  const before = await (await create(service, order, key)).text()
  const paid = await make()
  await json('POST', `/intents/${paid}/settle`, { outcome: 'succeeded' })
  const saved = await json('GET', '/export')

  expect(await json('POST', '/reset', {})).toEqual({ deleted: 2 })
  expect((await json('GET', '/export')).intents).toEqual([])
  expect(await json('POST', '/import', saved)).toEqual({ imported: 2, skipped: 0 })
  expect((await json('GET', '/export')).intents).toEqual(saved.intents)
  const replay = await create(service, order, key)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')
  expect(await replay.text()).toBe(before)
  expect(await json('POST', '/import', saved)).toEqual({ imported: 0, skipped: 2 })
})

test('an import that breaks a rule changes nothing and names the rule', async () => {
  await make()
  const saved = await json('GET', '/export')
  await json('POST', '/reset', {})
  const [intent] = saved.intents
  const cases: readonly [object, string][] = [
    [{ ...intent, status: 'succeeded' }, 'final_time'],
    [{ ...intent, amount: 0 }, 'intents.0'],
    [{ ...intent, extra: 1 }, 'intents.0'],
    [{ ...intent, environment: 'env_unknown' }, 'is not in "environments"'],
    [{ ...intent, paymentMethod: { type: 'card', card: { brand: 'a\0' } } }, 'paymentMethod'],
    [{ ...intent, paymentMethod: { type: 'card', card: { last4: '\ud800' } } }, 'paymentMethod'],
  ]
  for (const [broken, detail] of cases) {
    const answer = await json('POST', '/import', { ...saved, intents: [broken] })
    expect(answer).toMatchObject({
      code: 'validation_failed',
      detail: expect.stringContaining(detail),
    })
  }
  expect((await json('GET', '/export')).intents).toEqual([])
})

test('the request log tells what was asked, with keys masked and no body', async () => {
  const id = await make({ 'idempotency-key': 'order-A-1001-attempt-1' })
  await retrieve(service, id)
  await retrieve(service, `${id}_secret_abc`)
  await create(service, { ...order, amount: 'three', order_id: 'A-1' })
  await expect
    .poll(async () => (await json('GET', `/environments/${environment}/requests`)).requests)
    .toMatchObject([
      { status: 400, problem: 'unknown_parameter', pointers: ['/amount', '/order_id'] },
      { method: 'GET', path: `/payment-intents/${id}_secret_…`, status: 404, environment },
      { method: 'GET', path: `/payment-intents/${id}`, status: 200, intentId: id },
      {
        method: 'POST',
        path: '/payment-intents',
        status: 201,
        operation: 'create',
        intentId: id,
        idempotencyKey: expect.stringMatching(/^order-…pt-1 [\da-f]{4}$/),
        requestId: expect.stringMatching(/^req_/),
        ms: expect.any(Number),
      },
    ])
})

test('a request is found by what it was about: order, key, status or reason', async () => {
  const id = await make({ 'idempotency-key': 'order-S-77-attempt-1' })
  await create(service, { ...order, orderId: 'S-78' })
  await retrieve(service, id)
  await create(service, { ...order, amount: 0 })
  const found = async (text: string): Promise<readonly string[]> => {
    const path = `/environments/${environment}/requests?q=${encodeURIComponent(text)}`
    const { requests } = await json('GET', path)
    return requests.map(({ method, status }: Record<string, unknown>) => `${method} ${status}`)
  }
  await expect.poll(async () => await found('')).toHaveLength(4)
  expect(await found('a-1001')).toEqual(['GET 200', 'POST 201'])
  expect(await found('s-78')).toEqual(['POST 201'])
  expect(await found('order-S-77-attempt-1')).toEqual(['POST 201'])
  expect(await found('validation_failed')).toEqual(['POST 400'])
  expect(await found('nowhere')).toEqual([])
  expect((await json('GET', `/intents/${id}`)).requests).toMatchObject([
    { method: 'GET', intentId: id },
    { method: 'POST', intentId: id },
  ])
})

test('intents are found in the whole store by order, customer, card and status', async () => {
  const customer = { id: 'cust-9', email: 'ani@example.com', name: 'Անի' }
  const paid = await make()
  await json('POST', `/intents/${paid}/settle`, { outcome: 'succeeded' })
  await create(service, { ...order, orderId: 'FOUND-1', customer })
  const found = async (query: Record<string, string>): Promise<readonly string[]> => {
    const path = `/environments/${environment}/intents?${new URLSearchParams(query)}`
    return (await json('GET', path)).intents.map(({ orderId }: { orderId: string }) => orderId)
  }
  for (const q of ['FOUND-1', 'CUST-9', 'ani@', 'Անի'])
    expect(await found({ q })).toEqual(['FOUND-1'])
  for (const q of [paid, '4242', 'VISA']) expect(await found({ q })).toEqual(['A-1001'])
  expect(await found({ status: 'succeeded' })).toEqual(['A-1001'])
  expect(await found({ q: 'a-1001', status: 'failed' })).toEqual([])
  expect(await found({ q: `100%_'` })).toEqual([])
  for (const q of ['x'.repeat(201), '\0']) {
    const path = `/environments/${environment}/intents?q=${encodeURIComponent(q)}`
    expect((await control(service, 'GET', path)).status).toBe(400)
  }
})

test('the table of idempotency keys counts replays and conflicts', async () => {
  const key = { 'idempotency-key': 'counted-key-1' }
  const id = await make(key)
  await create(service, order, key)
  await create(service, order, { 'idempotency-key': '"counted-key-1"' })
  await create(service, { ...order, amount: 1 }, key)
  await expect
    .poll(async () => (await json('GET', `/environments/${environment}/idempotency`)).keys)
    .toMatchObject([{ intentId: id, requests: 4, replays: 2, conflicts: 1, waits: 0 }])
})

test('the lint names what will hurt in production', async () => {
  const key = { 'idempotency-key': 'linted-key-1' }
  const id = await make(key)
  await create(service, { ...order, amount: 1 }, key)
  await make()
  await create(service, order, { origin: 'http://localhost:3000' })
  for (let times = 0; times < 6; times++) await retrieve(service, id)
  await fetch(`${service.url}/payment-intents/${id}?api_key=${service.apiKey}`)
  await expect
    .poll(async () => {
      const { findings } = await json('GET', `/environments/${environment}/lint`)
      return findings.map(({ rule }: { rule: string }) => rule).sort()
    })
    .toEqual([
      'key_reused',
      'no_idempotency_key',
      'polled_too_fast',
      'secret_in_url',
      'secret_key_in_browser',
    ])
})

test('a clientSecret in the address of the hosted page is named too', async () => {
  const id = await make({ 'idempotency-key': 'in-an-address' })
  await fetch(`${service.url}/checkout/${id}_secret_${'x'.repeat(48)}`)
  const lint = `/environments/${environment}/lint`
  await expect
    .poll(async () => (await json('GET', lint)).findings)
    .toMatchObject([{ rule: 'secret_in_url', environment, intentId: id }])
})

test('what came without a known key is cleared too: by its own buttons, and with a reset', async () => {
  const requests = `/environments/${environment}/requests`
  const lint = `/environments/${environment}/lint`
  const provoke = async (): Promise<void> => {
    await create(service, order, { origin: 'http://localhost:3000' })
    await expect
      .poll(async () => (await json('GET', requests)).requests)
      .toMatchObject([{ status: 403, environment: null }])
    expect((await json('GET', lint)).findings).toHaveLength(1)
  }
  await provoke()
  await json('DELETE', requests)
  await json('DELETE', lint)
  expect((await json('GET', requests)).requests).toEqual([])
  expect((await json('GET', lint)).findings).toEqual([])
  await provoke()
  await json('POST', '/reset', { environment })
  expect((await json('GET', requests)).requests).toEqual([])
  expect((await json('GET', lint)).findings).toEqual([])
})

test('a page of an unregistered origin is named, and can be registered on the spot or by command', async () => {
  const id = await make({ 'idempotency-key': 'of-a-page' })
  const origin = 'http://localhost:5173'
  const other = 'http://localhost:5174'
  for (const site of [other, origin]) {
    await fetch(`${service.url}/checkout/${id}`, { headers: { referer: `${site}/cart` } })
  }
  const findings = async () =>
    (await json('GET', `/environments/${environment}/lint`)).findings.filter(
      ({ rule }: { rule: string }) => rule === 'unregistered_origin',
    )
  await expect.poll(findings).toHaveLength(2)
  const origins = `/environments/${environment}/origins`
  expect(await json('POST', origins, { origin })).toEqual({
    origins: ['http://localhost:3000', origin],
  })
  expect(await findings()).toMatchObject([{ origin: other, environment, count: 1 }])
  await sendAdminCommand(directory, {
    command: 'origins add',
    origin: other,
    merchant: 'Demo Shop',
    environment: 'test',
  })
  expect(await findings()).toEqual([])
  for (const site of [other, origin]) {
    await json('DELETE', `${origins}?origin=${encodeURIComponent(site)}`)
  }
  expect((await json('GET', '/environments')).environments[0].origins).toEqual([
    'http://localhost:3000',
  ])
  expect((await control(service, 'DELETE', `${origins}?origin=${origin}`)).status).toBe(404)
})

test('an open stream hears of a new intent', async () => {
  const changes = await openChanges(service)
  expect(await changes.read()).toContain('"environments"')
  await make()
  expect(await changes.read('requests')).toMatch(/event: change\ndata: {"topics":\[.*"intents"/)
  await changes.close()
})

test('a stream that ends while the store is asked writes nothing more', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stop = new AbortController()
  let answer = (_rows: unknown): void => {}
  const asked = new Promise((resolve) => {
    answer = resolve
  })
  const db = { query: async () => await asked } as unknown as Queryable
  const writes: string[] = []
  const events = eventStreams({ db, topics: createTopicNotifier(), stopping: stop.signal })
  const server = createServer(async (request, response) => {
    const { body } = await events(new Call(request, response))
    if (typeof body === 'function') void body(response)
    vi.advanceTimersByTime(1500)
    stop.abort()
    vi.spyOn(response, 'write').mockImplementation((text) => writes.push(String(text)) > 0)
  }).listen(0)
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://localhost:${port}`)).text()
  answer([{ isOpen: true, setup: '' }])
  // Behind everything that waits for the answer.
  await setImmediate()
  vi.useRealTimers()
  server.close()
  expect(writes).toEqual([])
})

test('an open stream hears of a key that the command line makes', async () => {
  const changes = await openChanges(service)
  await changes.read()
  // The first look comes after a comment line; only what changes from then on is news.
  await changes.read()
  await sendAdminCommand(directory, {
    command: 'keys create',
    merchant: 'Demo Shop',
    environment: 'test',
  })
  await changes.read('"environments","lint"')
  await changes.close()
})

test('for the sandbox a live environment does not exist (threat 16)', async () => {
  const id = await make({}, live)
  await retrieve(live, id)
  await create(live, order, { origin: 'http://localhost:3000' })
  await fetch(`${service.url}/checkout/${id}`, { headers: { referer: 'http://localhost:1/' } })
  expect((await create(live, order, { 'sandbox-fault': '500' })).status).toBe(201)
  const [row] = (await json('GET', '/environments')).environments
  expect(row).toMatchObject({ id: environment, merchant: 'Demo Shop' })
  expect((await json('GET', '/environments')).environments).toHaveLength(1)
  expect((await json('GET', '/export')).intents).toEqual([])
  expect((await json('GET', `/environments/${environment}/requests`)).requests).toEqual([])
  expect((await json('GET', `/environments/${environment}/lint`)).findings).toEqual([])
  expect((await control(service, 'GET', `/intents/${id}`)).status).toBe(404)
  const settled = await control(service, 'POST', `/intents/${id}/settle`, { outcome: 'succeeded' })
  expect(settled.status).toBe(404)
  expect((await control(service, 'POST', `/intents/${id}/revoke-secret`)).status).toBe(404)
  await json('POST', '/reset', {})
  expect((await retrieve(live, id)).status).toBe(200)
})

test('never shows the id of a live intent', async () => {
  const id = await make({}, live)
  const tried = await make({ 'idempotency-key': 'of-a-test' })
  const address = `${service.url}/payment-intents/${id}`
  await fetch(address)
  await fetch(address, { headers: { authorization: 'Bearer garbled' } })
  await fetch(address, { method: 'OPTIONS' })
  await fetch(`${address}/more`)
  await fetch(`${service.url}/payment-intents/${tried}`)
  const asked = { intentId: null, path: '/payment-intents/pi_…' }
  await retrieve(service, id)
  await expect
    .poll(async () => (await json('GET', `/environments/${environment}/requests`)).requests)
    .toMatchObject([
      { ...asked, status: 404, environment },
      { intentId: tried, path: `/payment-intents/${tried}`, status: 401, environment: null },
      { intentId: null, path: '/payment-intents/pi_…/more' },
      asked,
      asked,
      asked,
      { intentId: tried },
    ])
})

test('no control route answers for the id of a live environment (threat 16)', async () => {
  const routes: readonly ['GET' | 'PUT' | 'DELETE' | 'POST', string, unknown?][] = [
    ['PUT', `/environments/${liveEnvironment}/clock`, { offset: 1 }],
    ['DELETE', `/environments/${liveEnvironment}/clock`],
    ['POST', `/environments/${liveEnvironment}/origins`, { origin: 'http://localhost:1' }],
    ['DELETE', `/environments/${liveEnvironment}/origins?origin=http://localhost:1`],
    ['DELETE', `/environments/${liveEnvironment}/requests`],
    ['DELETE', `/environments/${liveEnvironment}/lint`],
    ['GET', `/environments/${liveEnvironment}/intents`],
    ['GET', `/environments/${liveEnvironment}/requests`],
    ['GET', `/environments/${liveEnvironment}/idempotency`],
    ['GET', `/environments/${liveEnvironment}/lint`],
    ['GET', `/environments/${liveEnvironment}/faults`],
    ['POST', `/environments/${liveEnvironment}/faults`, { on: 'create', do: '503' }],
    ['DELETE', `/environments/${liveEnvironment}/faults`],
    ['DELETE', `/environments/${liveEnvironment}/faults/1`],
    ['POST', '/reset', { environment: liveEnvironment }],
  ]
  for (const [method, path, body] of routes) {
    const answer = await control(service, method, path, body)
    expect([path, answer.status]).toEqual([path, 404])
  }
})

test('no address and no body with U+0000 is more than a refusal', async () => {
  const own = `/environments/${environment}`
  const routes: readonly ['GET' | 'DELETE' | 'POST', string, unknown?][] = [
    ['GET', `${own}/intents?status=%00`],
    ['DELETE', `${own}/origins?origin=%00`],
    ['GET', '/environments/%00/lint'],
    ['DELETE', '/environments/%00/clock'],
    ['GET', '/intents/%00'],
    ['POST', '/intents/%00/revoke-secret'],
    ['POST', '/intents/%00/settle', { outcome: 'succeeded' }],
    ['POST', '/reset', { environment: '\0' }],
  ]
  for (const [method, path, body] of routes) {
    const answer = await control(service, method, path, body)
    expect([path, answer.status]).toEqual([path, 400])
  }
})

test('every control route asks for the admin token, and for a host name of this machine', async () => {
  for (const path of [
    '/export',
    '/environments',
    '/events',
    '/environments/x/faults',
    '/nothing',
  ]) {
    const answer = await fetch(`${service.url}/_sandbox${path}`)
    expect([path, answer.status]).toEqual([path, 401])
  }
  const { adminToken } = service.ready
  const answer = await rawRequest(service.url, [
    'GET /_sandbox/export HTTP/1.1',
    'Host: evil.example',
    `Authorization: Bearer ${adminToken}`,
  ])
  expect(answer).toMatch(/^HTTP\/1.1 400 /)
  expect(answer).toContain('invalid_host')
})

const [outside] = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')

test.skipIf(!outside)(
  'another machine finds no sandbox, unless it was opened to the network; then it needs the token',
  async () => {
    const ask = async (setting: string, header: string): Promise<string | undefined> => {
      const other = await startTestService({ PI_HOST: '0.0.0.0', PI_SANDBOX: setting })
      const { port, host } = new URL(other.url)
      const answer = await rawRequest(`http://${outside?.address}:${port}`, [
        'GET /_sandbox/environments HTTP/1.1',
        `Host: ${host}`,
        header.replace('TOKEN', other.ready.adminToken),
      ])
      await other.stop()
      return answer.split(' ')[1]
    }
    expect(await ask('loopback', 'Authorization: Bearer TOKEN')).toBe('404')
    expect(await ask('network', 'Authorization: Bearer TOKEN')).toBe('200')
    expect(await ask('network', 'Authorization: Bearer TOKENx')).toBe('401')
    expect(() => readConfig({}, { PI_SANDBOX: 'everybody' })).toThrow(
      'PI_SANDBOX: must be loopback or network',
    )
  },
)

test('imported into another service, an intent has a new secret and no replay', async () => {
  const key = { 'idempotency-key': 'moved' }
  const before = (await (await create(service, order, key)).json()) as Record<string, unknown>
  const saved = await json('GET', '/export')
  const other = await startTestService()
  try {
    const taken = await control(other, 'POST', '/import', saved)
    expect(await taken.json()).toEqual({ imported: 1, skipped: 0 })
    const { clientSecret: _, ...shown } = before
    expect(await (await retrieve(other, String(before.id))).json()).toEqual(shown)
    const again = await create(other, order, key)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
  } finally {
    await other.stop()
  }
})

test('ends open streams at a stop, without waiting for their clients', async () => {
  const other = await startTestService()
  const stream = await control(other, 'GET', '/events')
  const reader = stream.body?.getReader()
  await reader?.read()
  await other.stop()
  // A cut connection would throw here instead.
  expect((await reader?.read())?.done).toBe(true)
})

test('behind a public name there is no sandbox, and no inspector', async () => {
  const other = await startTestService({ PI_PUBLIC_URL: 'https://pay.example.com' })
  try {
    for (const path of ['/_sandbox/', '/_sandbox/export', '/_sandbox/environments']) {
      const answer = await rawRequest(other.url, [
        `GET ${path} HTTP/1.1`,
        'Host: pay.example.com',
        `Authorization: Bearer ${other.ready.adminToken}`,
      ])
      expect(answer).toMatch(/^HTTP\/1.1 404 /)
    }
  } finally {
    await other.stop()
  }
})

test('the inspector is served in no frame, from nowhere else, and never from a cache', async () => {
  const page = await fetch(`${service.url}/_sandbox/`)
  expect(Object.fromEntries(page.headers)).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'none'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html; report-to csp",
    'x-frame-options': 'DENY',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  const bare = await fetch(`${service.url}/_sandbox`, { redirect: 'manual' })
  expect([bare.status, bare.headers.get('location')]).toEqual([308, '/_sandbox/'])
})
