import { getEventListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readRetryAfter, retryDelay } from '../../src/client/retry.ts'
import { idempotencyKey, PaymentIntents, PiError } from '../../src/index.ts'
import {
  apiKey,
  clientOf,
  created,
  failureOf,
  html,
  order,
  problem,
  redirect,
  reset,
  retrieved,
  retryAtOnce,
  type Step,
  scriptedService,
  secret,
  sever,
  silent,
  stall,
} from '../scripted-service.ts'

retryAtOnce()

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
      accept: 'application/json',
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': '53',
    },
  })
  expect(request?.headers['idempotency-key']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
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
])('waits after Retry-After: %s for %i ms', (retryAfter, ms) => {
  const now = Date.parse('2026-11-20T10:00:00Z')
  expect(retryDelay(1, 0.5, readRetryAfter(retryAfter, now))).toBe(ms)
})

test('fails at once if Retry-After ends with the total timeout', async () => {
  const limited = problem(429, 'rate_limited', { 'retry-after': '30' })
  const { service, intents } = await clientOf([limited])
  const error = await failureOf(intents.create(order))
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, outcome: 'rejected' })
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
  const { service, intents } = await clientOf([created()])
  const now = vi.spyOn(performance, 'now').mockReturnValueOnce(0).mockReturnValue(30_000)
  onTestFinished(() => now.mockRestore())
  expect(await failureOf(intents.create(order))).toMatchObject({
    code: 'timed_out',
    outcome: 'not_sent',
    retryable: true,
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
  expect(rejected).toMatchObject({ errorsOmitted: 10, requestId: `${'r'.repeat(120)}[masked]` })
  const text = `${'x'.repeat(240)}[masked]yyyyyyyy`
  const expected = { pointer: text, code: text, detail: text }
  expect(rejected.errors).toEqual(Array.from({ length: 20 }, () => expected))
  const broken = await failureOf(intents.create(order))
  expect(broken.message).toMatch(/ in metadata; an intent may exist/)
  expect(broken.message + broken.requestId).not.toContain(apiKey)
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
  expect(error).toBeInstanceOf(PiError)
  expect(error).toMatchObject({
    code: 'aborted',
    outcome: 'unknown',
    cause: new Error('the buyer left'),
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
    code: 'aborted',
    outcome: 'not_sent',
    retryable: true,
    requests: [],
    message: 'POST /payment-intents was aborted by its caller; nothing was sent',
  })
  expect(service.requests).toHaveLength(0)
})

test('twenty calls with one signal print no warning, and leave no listener', async () => {
  const onWarning = vi.fn()
  process.on('warning', onWarning)
  onTestFinished(() => void process.off('warning', onWarning))
  const script = [problem(503, 'store_unavailable'), created()]
  const { intents } = await clientOf(script)
  const { signal } = new AbortController()
  const amounts = Array.from({ length: 20 }, (_, index) => index + 1)
  await Promise.all(amounts.map((amount) => intents.create({ ...order, amount }, { signal })))
  await new Promise((resolve) => setImmediate(resolve))
  expect(onWarning).not.toHaveBeenCalled()
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('one signal ends all calls that wait, and leaves no listener', async () => {
  const { service, intents } = await clientOf([silent])
  const controller = new AbortController()
  const { signal } = controller
  const calls = [1, 2, 3].map((amount) =>
    failureOf(intents.create({ ...order, amount }, { signal })),
  )
  await expect.poll(() => service.requests.length).toBe(3)
  controller.abort()
  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(Array(3).fill('aborted'))
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test.each([
  [
    'throws',
    () => {
      throw new Error('a broken observer')
    },
  ],
  ['rejects', async () => Promise.reject(new Error('a broken observer'))],
])('reports every request to onRequest, and ignores that it %s', async (_, end) => {
  const reports: unknown[] = []
  // Without a mock, which handles the rejection.
  const onRequest = (request: unknown) => {
    reports.push(request)
    return end()
  }
  const script = [problem(503, 'store_unavailable'), created()]
  const { service, intents } = await clientOf(script, { onRequest })
  await intents.create(order)
  const [idempotencyKey] = service.keys()
  const shared = { operation: 'create', requestId: 'req_1', idempotencyKey, ms: expect.any(Number) }
  expect(reports).toEqual([
    { ...shared, number: 1, status: 503, code: 'store_unavailable', retryIn: 0 },
    { ...shared, number: 2, status: 201, code: undefined, retryIn: undefined },
  ])
})

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

test('a call rejects a total timeout that is out of range', async () => {
  const { service, intents } = await clientOf([created()])
  const call = intents.create(order, { totalTimeout: 0 })
  await expect(call).rejects.toThrow(/^totalTimeout: must be a number of milliseconds/)
  expect(service.requests).toEqual([])
})

test('sends the key that idempotencyKey returns', async () => {
  const { service, intents } = await clientOf([created()], { namespace: 'books' })
  for (const attempt of [1, 2]) {
    await intents.create(order, { attempt })
    expect(service.keys().at(-1)).toBe(await idempotencyKey(order, { namespace: 'books', attempt }))
  }
  expect(new Set([...service.keys(), await idempotencyKey(order)]).size).toBe(3)
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
    const options = { apiKey, baseUrl: service.url, maxRetries: 1, timeout: 100 }
    const error = await failureOf(new PaymentIntents(options).create(order))
    expect(prints(error)).not.toContain(apiKey)
    expect(prints(error)).not.toContain(secret)
  }
  const broken = async (): Promise<never> => {
    const request = { headers: { authorization: `Bearer ${apiKey}` } }
    throw Object.assign(new Error(`sent ${apiKey}`), {
      request,
      cause: { apiKey },
      code: `E_${apiKey}`,
    })
  }
  const own = new PaymentIntents({ apiKey, baseUrl: elsewhere, fetch: broken })
  expect(prints(await failureOf(own.create(order)))).not.toContain(apiKey)
  const { intents } = await clientOf([created()])
  const result = await intents.create(order)
  expect(inspect(intents, { depth: null, showHidden: true })).not.toContain(apiKey)
  expect(inspect(result, { depth: null })).not.toContain(secret)
  expect(inspect(result.handoff)).toBe("{ id: 'pi_scripted', clientSecret: '[masked]' }")
  expect(prints(result.intent)).not.toContain(secret)
})
