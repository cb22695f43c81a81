import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { optionsWith } from '../../src/client/test-time.ts'
import { AbortedError, idempotencyKey, PaymentIntents, raw } from '../../src/index.ts'
import { fakeService, fakeTime } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  atOnce,
  clientOf,
  created,
  createdAfter,
  failureOf,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  type Step,
  scriptedService,
  secret,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

test('create sends the request of the specification and separates the secret', async () => {
  const { service, intents } = await clientOf([created()])
  const { intent, handoff, replayed } = await intents.create({
    amount: 150000,
    currency: 'amd',
    orderId: 'A-1001',
  })
  expect(intent).toMatchObject({ id: 'pi_scripted', amount: 150000, currency: 'AMD' })
  expect(intent).not.toHaveProperty('clientSecret')
  expect(JSON.parse(JSON.stringify(handoff))).toEqual({ id: 'pi_scripted', clientSecret: secret })
  expect(replayed).toBe(false)
  const [request] = service.requests
  expect(request).toMatchObject({
    method: 'POST',
    url: '/payment-intents',
    body: '{"amount":150000,"currency":"AMD","orderId":"A-1001"}',
    headers: {
      ...{ accept: 'application/json', authorization: `Bearer ${apiKey}` },
      ...{ 'content-type': 'application/json', 'content-length': '53' },
    },
  })
  expect(request?.headers['idempotency-key']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('waits grow with full jitter', async () => {
  const time = fakeTime()
  const options = { maxRetries: 6, ...time }
  const { intents } = await clientOf([problem(503, 'store_unavailable')], options)
  await failureOf(intents.create(order))
  expect(time.waits).toEqual([125, 250, 500, 1000, 2000, 2500])
})

test.each<readonly [number, string, number]>([
  ...[408, 425, 429, 500, 503, 599].map((status) => [status, 'x', 2] as const),
  [409, 'idempotency_key_in_use', 2],
  [409, 'idempotency_key_reused', 1],
  [503, 'idempotency_key_in_use', 2],
  ...[400, 404, 407, 410, 424, 426, 428, 430, 499].map((status) => [status, 'x', 1] as const),
])('after %i %s it sends %i requests', async (status, code, sent) => {
  const { service, intents } = await clientOf([problem(status, code)], {
    ...fakeTime(),
    maxRetries: 1,
  })
  expect(await failureOf(intents.create(order))).toMatchObject({ retryable: sent === 2, status })
  expect(service.requests).toHaveLength(sent)
})

test.each<readonly [string, number]>([
  ['7', 7000],
  ['0', 125],
  ['Fri, 20 Nov 2026 10:00:09 GMT', 9000],
  ['Fri, 20 Nov 2026 09:00:00 GMT', 125],
  ...[
    '1.5',
    '-7',
    '7s',
    'x7',
    '7, 7',
    '12345678901',
    '2026-11-20',
    'x Fri, 20 Nov 2026 10:00:09 GMT',
  ].map((text) => [text, 125] as const),
])('waits after Retry-After: %s for %i ms', async (retryAfter, ms) => {
  const time = fakeTime(Date.parse('2026-11-20T10:00:00Z'))
  const limited = problem(429, 'rate_limited', { 'retry-after': retryAfter })
  const { intents } = await clientOf([limited, created()], time)
  await intents.create(order)
  expect(time.waits).toEqual([ms])
})

test('fails at once if Retry-After ends with the total timeout', async () => {
  const time = fakeTime()
  const limited = problem(429, 'rate_limited', { 'retry-after': '30' })
  const { service, intents } = await clientOf([limited], time)
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, outcome: 'rejected' })
  expect(time.waits).toEqual([])
  expect(service.requests).toHaveLength(1)
})

test('the total timeout covers requests and waits (threat 7)', async () => {
  const { intents } = await clientOf([silent], { timeout: 200, totalTimeout: 300, maxRetries: 98 })
  // A busy host delays every timer of this process.
  const late = sleep(600, 'late')
  const error = await Promise.race([late, failureOf(intents.create(order))])
  expect(error).toMatchObject({ code: 'timed_out', outcome: 'unknown' })
})

test('sends nothing after its total timeout has passed', async () => {
  const clock = vi.fn().mockReturnValueOnce(0).mockReturnValue(30_000)
  const { service, intents } = await clientOf([created()], optionsWith({ clock }))
  expect(await failureOf(intents.create(order))).toMatchObject({
    ...{ code: 'timed_out', outcome: 'not_sent', retryable: true, name: 'ConnectionError' },
    message: 'POST /payment-intents got no complete response within 0 ms; nothing was sent',
  })
  expect(service.requests).toEqual([])
})

test('errors list at most 20 fields, count the others, and do not contain the key', async () => {
  const long = `${'x'.repeat(240)}${apiKey}${'y'.repeat(999)}`
  const errors = Array.from({ length: 25 }, () => ({ pointer: long, code: long, detail: long }))
  const fields = Object.fromEntries(errors.map((_, index) => [`${index} ${apiKey} ${long}`, 1]))
  const { intents } = await clientOf([
    (response) => {
      response.writeHead(400, { 'request-id': `${'r'.repeat(120)}${apiKey}${long}` })
      response.end(JSON.stringify({ code: 'validation_failed', errors, errorsOmitted: 5 }))
    },
    created({ metadata: fields }, { 'request-id': `${apiKey}${long}` }),
  ])
  const rejected = await failureOf(intents.create(order))
  expect(rejected).toMatchObject({ errorsOmitted: 10, requestId: `${'r'.repeat(120)}[masked]…` })
  const text = `${'x'.repeat(240)}[masked]yyyyyyyy…`
  const expected = { pointer: text, code: text, detail: text }
  expect(Reflect.get(rejected, 'errors')).toEqual(Array.from({ length: 20 }, () => expected))
  const broken = await failureOf(intents.create(order))
  expect(broken.message).toMatch(/in metadata\.0 \[masked\] x+…, metadata\.1 .* and 5 more/)
  expect(broken.message.length).toBeLessThan(1600)
  expect(broken.message + broken.requestId).not.toContain(apiKey)
})

test('identical concurrent calls share one request', async () => {
  const { service, intents } = await clientOf([createdAfter(50)])
  const results = await Promise.all(Array.from({ length: 20 }, () => intents.create(order)))
  expect(new Set(results.map(({ handoff }) => handoff.clientSecret))).toEqual(new Set([secret]))
  expect(service.requests).toHaveLength(1)
})

test('identical concurrent calls share an error, also with a later total timeout', async () => {
  const { service, intents } = await clientOf([problem(401, 'invalid_credentials')])
  const first = failureOf(intents.create(order))
  const second = failureOf(intents.create(order, { totalTimeout: 60_000 }))
  expect([(await first).code, (await second).code]).toEqual(Array(2).fill('invalid_credentials'))
  expect(service.requests).toHaveLength(1)
})

test('identical calls share the request that follows an aborted one', async () => {
  let respond = (): void => {}
  const responding = new Promise<void>((resolve) => {
    respond = resolve
  })
  const held: Step = async (response, request) => {
    await responding
    return created()(response, request)
  }
  const { service, intents } = await clientOf([silent, held])
  const controller = new AbortController()
  const aborted = failureOf(intents.create(order, { signal: controller.signal }))
  await expect.poll(() => service.requests).toHaveLength(1)
  controller.abort()
  const second = intents.create(order)
  await aborted
  await expect.poll(() => service.requests).toHaveLength(2)
  const third = intents.create(order)
  // It has joined the second one, or sent its own request.
  await new Promise(setImmediate)
  respond()
  await Promise.all([second, third])
  expect(service.requests).toHaveLength(2)
})

test('sends two requests for two bodies under one key', async () => {
  const { service, intents } = await clientOf([created()])
  await Promise.all([
    intents.create(order, { idempotencyKey: 'mine' }),
    intents.create({ ...order, amount: 1 }, { idempotencyKey: 'mine' }),
  ])
  expect(service.requests).toHaveLength(2)
})

test.each<[string, Step, typeof globalThis.fetch?]>([
  ['while no response arrives', silent],
  ['within the body', stall],
  ['within the body, with fetch', stall, fetch],
  ['between requests', problem(503, 'store_unavailable', { 'retry-after': '20' })],
])('an abort %s ends the call, leaves nothing, and an intent may exist', async (_, step, way) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let open = 0
  const recorded: Step = (response, request) => {
    open++
    response.on('close', () => open--)
    return step(response, request)
  }
  const { service, intents } = await clientOf([recorded], { fetch: way })
  const controller = new AbortController()
  const { signal } = controller
  const call = failureOf(intents.create(order, { signal }))
  await expect.poll(() => service.requests.length).toBe(1)
  await sleep(50)
  controller.abort(new Error('the buyer left'))
  const error = await call
  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({
    ...{ code: 'aborted', outcome: 'unknown', cause: new Error('the buyer left') },
    message:
      'POST /payment-intents was aborted by its caller; an intent may exist: the same call again finds it',
  })
  await expect.poll(() => open).toBe(0)
  expect(getEventListeners(signal, 'abort')).toEqual([])
  // `fetch` starts its own timers.
  if (!way) expect(vi.getTimerCount()).toBe(0)
})

test('sends nothing if the signal is aborted before', async () => {
  const { service, intents } = await clientOf([created()])
  const error = await failureOf(intents.create(order, { signal: AbortSignal.abort() }))
  expect(error).toMatchObject({
    ...{ code: 'aborted', outcome: 'not_sent', retryable: true, requests: [] },
    message: 'POST /payment-intents was aborted by its caller; nothing was sent',
  })
  expect(service.requests).toHaveLength(0)
})

test('the abort of one caller does not affect the others', async () => {
  const { service, intents } = await clientOf([createdAfter(100)])
  const controller = new AbortController()
  const aborted = failureOf(intents.create(order, { signal: controller.signal }))
  const other = intents.create(order)
  await expect.poll(() => service.requests.length).toBe(1)
  controller.abort()
  expect(await aborted).toBeInstanceOf(AbortedError)
  expect((await other).intent.id).toBe('pi_scripted')
  expect(service.requests).toHaveLength(1)
})

test('a caller with a later total timeout continues after the first one', async () => {
  const { service, intents } = await clientOf([silent, created()], { maxRetries: 0 })
  // Long enough for its request to arrive first.
  const early = failureOf(intents.create(order, { totalTimeout: 500 }))
  const late = intents.create(order, { totalTimeout: 20_000 })
  expect(await early).toMatchObject({ code: 'timed_out' })
  expect((await late).intent.id).toBe('pi_scripted')
  expect(service.keys()).toHaveLength(1)
})

test('a caller with an earlier total timeout leaves before the first one', async () => {
  const { intents } = await clientOf([createdAfter(300)])
  const late = intents.create(order)
  const early = failureOf(intents.create(order, { totalTimeout: 50 }))
  const patient = intents.create(order, { totalTimeout: 20_000 })
  expect(await early).toMatchObject({
    ...{ code: 'timed_out', outcome: 'unknown', retryable: true },
    message: expect.stringContaining('POST /payment-intents exceeded its total timeout; an intent'),
  })
  expect((await late).intent.id).toBe('pi_scripted')
  expect((await patient).intent.id).toBe('pi_scripted')
})

test('removes its listeners from the signal', async () => {
  const script = [problem(503, 'store_unavailable'), created(), retrieved()]
  const { intents } = await clientOf(script, atOnce)
  const { signal } = new AbortController()
  await intents.create(order, { signal })
  await intents.retrieve('pi_1', { signal })
  let reads = 0
  await intents.waitUntil('pi_1', () => ++reads === 2, { signal })
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('reports every attempt to onRequest and the channel, and ignores errors', async () => {
  const reports: unknown[] = []
  const published: unknown[] = []
  const record = (message: unknown): void => void published.push(message)
  channel('pi-checkout:request').subscribe(record)
  // A client of this process may have found the channel before.
  vi.resetModules()
  const copy = await import('../../src/index.ts')
  onTestFinished(() => void channel('pi-checkout:request').unsubscribe(record))
  const onRequest = (request: unknown): never => {
    reports.push(request)
    throw new Error('a broken observer')
  }
  const script = [problem(503, 'store_unavailable'), created()]
  const service = await scriptedService(...script)
  const options = { apiKey, baseUrl: service.url, onRequest, ...fakeTime() }
  await new copy.PaymentIntents(options).create(order)
  const [idempotencyKey] = service.keys()
  const shared = { operation: 'create', requestId: 'req_1', idempotencyKey, ms: 0 }
  expect(reports).toEqual([
    { ...shared, number: 1, status: 503, code: 'store_unavailable', retryIn: 125 },
    { ...shared, number: 2, status: 201, code: undefined, retryIn: undefined },
  ])
  expect(published).toEqual(reports)
})

test.each([undefined, {}, { getBuiltinModule: () => undefined }])(
  'reports no attempt to a channel where process is %o',
  async (process) => {
    vi.resetModules()
    const { readClientOptions } = await import('../../src/client/options.ts')
    const onRequest = vi.fn()
    const { report } = readClientOptions({ fetch, onRequest })
    vi.stubGlobal('process', process)
    report({} as never)
    vi.unstubAllGlobals()
    expect(onRequest).toHaveBeenCalled()
  },
)

test('retrieve returns the intent without its secret (threat 12)', async () => {
  const { service, intents } = await clientOf([
    retrieved({ clientSecret: secret, status: 'succeeded' }),
  ])
  const intent = await intents.retrieve('pi_abc')
  expect(intent).toMatchObject({ id: 'pi_abc', status: 'succeeded' })
  expect(JSON.stringify(intent)).not.toContain(secret)
  expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/payment-intents/pi_abc' })
})

test.each(['..', '.', '%2e%2e', 'a/b', 'a?x', '\\..\\x', '', 'x'.repeat(129)])(
  'retrieve rejects the id %j before sending (threat 5)',
  async (id) => {
    const { service, intents } = await clientOf([retrieved()])
    await expect(intents.retrieve(id)).rejects.toThrow(/^id: must be the id of a Payment Intent/)
    expect(service.requests).toHaveLength(0)
  },
)

test('waitUntil polls with growing waits until done returns true', async () => {
  const time = fakeTime()
  const script = [{}, { status: 'processing' }, { status: 'succeeded' }].map(retrieved)
  const { intents } = await clientOf(script, time)
  const intent = await intents.waitUntil('pi_abc', ({ status }) => status === 'succeeded')
  expect(intent.status).toBe('succeeded')
  expect(time.waits).toEqual([500, 750])
})

test('waitUntil ends before a wait that reaches its total timeout', async () => {
  const time = fakeTime()
  const { intents } = await clientOf([retrieved()], time)
  expect(
    await failureOf(intents.waitUntil('pi_abc', () => false, { totalTimeout: 1250 })),
  ).toMatchObject({
    ...{ code: 'timed_out', outcome: 'unknown', retryable: true, requests: [] },
    message: 'waitUntil exceeded its total timeout',
  })
  expect(time.waits).toEqual([500])
})

test('a wait that fails ends its call', async () => {
  const sleep = () => Promise.reject(new Error('no timer'))
  const script = [problem(503, 'store_unavailable'), retrieved()]
  const { intents } = await clientOf(script, optionsWith({ sleep }))
  await expect(intents.create(order)).rejects.toThrow('no timer')
  await expect(intents.waitUntil('pi_1', () => false)).rejects.toThrow('no timer')
})

test('a call rejects a total timeout that is out of range', async () => {
  const { service, intents } = await clientOf([created()])
  const call = intents.create(order, { totalTimeout: 0 })
  await expect(call).rejects.toThrow(/^totalTimeout: must be a number of milliseconds/)
  expect(service.requests).toEqual([])
})

test('keyFor returns the key that create sends', async () => {
  const { service, intents } = await clientOf([created()], { namespace: 'books' })
  for (const attempt of [1, 2]) {
    await intents.create(order, { attempt })
    expect(service.keys().at(-1)).toBe(await intents.keyFor(order, { attempt }))
  }
  expect(await intents.keyFor(order)).toBe(service.keys()[0])
  expect(new Set([...service.keys(), await idempotencyKey(order)]).size).toBe(3)
})

test('tenant is a digest of base URL and API key', async () => {
  const baseUrl = 'http://127.0.0.1:1'
  const intents = new PaymentIntents({ apiKey, baseUrl: `${baseUrl}/` })
  const digest = createHash('sha256').update(`pi-tenant|${baseUrl}|${apiKey}`).digest('hex')
  for (const _ of [1, 2]) expect(await intents.tenant()).toBe(digest)
})

test.each(['before its wait', 'in its wait'])('waitUntil ends on an abort %s', async (when) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const intents = new PaymentIntents(fakeService().options)
  const { intent } = await intents.create(order)
  const controller = new AbortController()
  const done = vi.fn(() => {
    if (when === 'before its wait') controller.abort()
    return false
  })
  const waiting = failureOf(intents.waitUntil(intent.id, done, { signal: controller.signal }))
  await expect.poll(() => done.mock.calls).toHaveLength(1)
  controller.abort()
  expect(await waiting).toMatchObject({ code: 'aborted' })
  expect([vi.getTimerCount(), getEventListeners(controller.signal, 'abort')]).toEqual([0, []])
})

test('no error, client, intent, or handoff prints a key or a secret (threat 2)', async () => {
  const { url: elsewhere } = await scriptedService(created())
  const steps: Step[] = [
    reset,
    stall,
    sever,
    html(),
    html(500),
    problem(401, 'invalid_credentials'),
    (response) => {
      response.writeHead(400, { 'content-type': 'application/problem+json' })
      const errors = [{ pointer: '/x', code: 'x', detail: `Bad key ${apiKey} and ${secret}` }]
      response.end(JSON.stringify({ code: 'validation_failed', detail: apiKey, errors }))
    },
    created({ orderId: 'B-2' }),
    created({ amount: 'text' }),
    redirect(307, elsewhere),
    silent,
  ]
  const prints = (value: unknown): string =>
    [
      inspect(value, { depth: null, showHidden: true }),
      JSON.stringify(value),
      value instanceof Error ? value.stack : '',
    ].join('\n')
  for (const step of steps) {
    const service = await scriptedService(step)
    const options = { apiKey, baseUrl: service.url, maxRetries: 1, timeout: 100, ...fakeTime() }
    const error = await failureOf(new PaymentIntents(options).create(order))
    expect(prints(error)).not.toContain(apiKey)
    expect(prints(error)).not.toContain(secret)
  }
  const broken = async (): Promise<never> => {
    const request = { headers: { authorization: `Bearer ${apiKey}` } }
    throw Object.assign(new Error(`sent ${apiKey}`), {
      ...{ request, cause: { apiKey }, code: `E_${apiKey}` },
    })
  }
  const own = new PaymentIntents({ apiKey, baseUrl: elsewhere, fetch: broken, ...fakeTime() })
  expect(prints(await failureOf(own.create(order)))).not.toContain(apiKey)
  const { intents } = await clientOf([created()])
  const result = await intents.create(order)
  expect(inspect(intents, { depth: null, showHidden: true })).not.toContain(apiKey)
  expect(inspect(result, { depth: null })).not.toContain(secret)
  expect(inspect(result.handoff)).toBe("{ id: 'pi_scripted', clientSecret: '[masked]' }")
  expect(prints(result.intent)).not.toContain(secret)
})

test.each([
  [{}, '2026-11-20'],
  [{ apiVersion: '2027-01-01' }, '2027-01-01'],
  [{ apiVersion: null }, undefined],
])('with %j every request has the Api-Version %s', async (options, version) => {
  const { service, intents } = await clientOf([created(), retrieved()], options)
  const { intent } = await intents.create(order)
  await intents.retrieve(intent.id)
  const sent = service.requests.map(({ headers }) => headers['api-version'])
  expect(sent).toEqual([version, version])
})

test.each(['x2026-11-20', '2026-11-20x'])('rejects the apiVersion %s', (apiVersion) => {
  expect(() => new PaymentIntents({ apiVersion })).toThrow(
    `apiVersion: must be a date such as 2026-11-20, or null; received "${apiVersion}".`,
  )
})

test('raw returns fields that this version does not support', async () => {
  const { intents } = await clientOf([created({ installments: 3 }), retrieved({ installments: 4 })])
  const { intent } = await intents.create(order)
  expect(raw(intent)).toMatchObject({ id: intent.id, installments: 3 })
  expect(raw(await intents.retrieve(intent.id)).installments).toBe(4)
})
