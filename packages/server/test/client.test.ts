import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import {
  AbortedError,
  ApiError,
  ConnectionError,
  ContractError,
  IdempotencyConflictError,
  PaymentIntents,
  PiError,
} from '../src/index.ts'
import { fakeTime } from '../src/testing.ts'
import {
  apiKey,
  created,
  drip,
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
} from './scripted-service.ts'

async function failure(call: Promise<unknown>): Promise<PiError> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(PiError)
  return error as PiError
}

test("create sends the spec's request and hands out the intent apart from its secret", async () => {
  const service = await scriptedService(created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
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
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
  })
  expect(request?.headers['idempotency-key']).toMatch(
    /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('a lost answer is retried with the same key and the same bytes', async () => {
  const service = await scriptedService(
    reset,
    reset,
    created({}, { 'idempotent-replayed': 'true' }),
  )
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  const { intent, replayed } = await intents.create(order)
  expect(intent.id).toBe('pi_scripted')
  expect(replayed).toBe(true)
  expect(service.requests).toHaveLength(3)
  expect(service.keys()).toHaveLength(1)
  expect(service.bodies()).toHaveLength(1)
})

const lostAnswers: [string, Step][] = [
  ['a body that stalls', stall],
  ['a body that drips', drip],
  ['a body that breaks off', sever],
  ['an answer that never comes', silent],
  ['a connection that is reset', reset],
]
for (const [name, step] of lostAnswers) {
  test(`${name} is a lost answer: retried, and an intent may exist`, async () => {
    const service = await scriptedService(step)
    const time = fakeTime()
    const intents = new PaymentIntents({
      apiKey,
      baseUrl: service.url,
      timeout: 150,
      attempts: 2,
      ...time,
    })
    const error = await failure(intents.create(order))
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({ outcome: 'unknown', retryable: true })
    expect(error.attempts).toHaveLength(2)
    expect(service.requests).toHaveLength(2)
    expect(service.keys()).toEqual([error.idempotencyKey])
    expect(service.bodies()).toHaveLength(1)
  })
}

test('a service that is not there leaves nothing sent', async () => {
  const service = await scriptedService(silent)
  await service.close()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  const error = await failure(intents.create(order))
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: 'not_connected', outcome: 'not_sent', retryable: true })
  expect(error.attempts).toHaveLength(4)
  expect(error.attempts[0]).toMatchObject({ status: undefined, code: 'ECONNREFUSED' })
})

const transient: [number, string][] = [
  [408, 'request_timeout'],
  [409, 'idempotency_key_in_use'],
  [425, 'too_early'],
  [429, 'rate_limited'],
  [500, 'internal_error'],
  [503, 'store_unavailable'],
  [504, 'timeout'],
]
for (const [status, code] of transient) {
  test(`${status} ${code} is tried again with the same key`, async () => {
    const service = await scriptedService(problem(status, code), created())
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
    await intents.create(order)
    expect(service.requests).toHaveLength(2)
    expect(service.keys()).toHaveLength(1)
  })
}

const final: [number, string][] = [
  [400, 'validation_failed'],
  [401, 'invalid_credentials'],
  [403, 'secret_key_in_browser'],
  [404, 'not_found'],
  [409, 'intent_finalized'],
  [413, 'payload_too_large'],
  [422, 'idempotency_key_reused'],
]
for (const [status, code] of final) {
  test(`${status} ${code} is told at once and never repeated`, async () => {
    const service = await scriptedService(problem(status, code))
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
    const error = await failure(intents.create(order))
    expect(error).toMatchObject({
      status,
      outcome: 'rejected',
      retryable: false,
      requestId: 'req_1',
    })
    expect(error).toBeInstanceOf(status === 422 ? IdempotencyConflictError : ApiError)
    expect(service.requests).toHaveLength(1)
  })
}

test('one lost answer makes the whole call unknown, whatever the service says afterwards', async () => {
  const service = await scriptedService(reset, problem(401, 'revoked_credentials'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  const error = await failure(intents.create(order))
  expect(error).toMatchObject({ code: 'revoked_credentials', outcome: 'unknown' })
})

test('a running first request leaves the outcome unknown', async () => {
  const service = await scriptedService(problem(409, 'idempotency_key_in_use'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  const error = await failure(intents.create(order))
  expect(error).toMatchObject({
    code: 'idempotency_key_in_use',
    outcome: 'unknown',
    retryable: true,
  })
})

test('waits grow with full jitter', async () => {
  const service = await scriptedService(problem(503, 'store_unavailable'))
  const time = fakeTime()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, attempts: 7, ...time })
  await failure(intents.create(order))
  expect(time.waits).toEqual([125, 250, 500, 1000, 2000, 2500])
})

test('Retry-After in seconds is waited for', async () => {
  const service = await scriptedService(
    problem(429, 'rate_limited', { 'retry-after': '7' }),
    created(),
  )
  const time = fakeTime()
  await new PaymentIntents({ apiKey, baseUrl: service.url, ...time }).create(order)
  expect(time.waits).toEqual([7000])
})

test('Retry-After as a date is waited for', async () => {
  const date = 'Fri, 20 Nov 2026 10:00:09 GMT'
  const service = await scriptedService(
    problem(503, 'store_unavailable', { 'retry-after': date }),
    created(),
  )
  const time = fakeTime(Date.parse('2026-11-20T10:00:00Z'))
  await new PaymentIntents({ apiKey, baseUrl: service.url, ...time }).create(order)
  expect(time.waits).toEqual([9000])
})

test('a Retry-After beyond the deadline is told now instead of waited for', async () => {
  const service = await scriptedService(problem(429, 'rate_limited', { 'retry-after': '60' }))
  const time = fakeTime()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...time })
  const error = await failure(intents.create(order))
  expect(error).toMatchObject({ code: 'rate_limited', retryable: true, outcome: 'rejected' })
  expect(time.waits).toEqual([])
  expect(service.requests).toHaveLength(1)
})

test('the deadline covers attempts and waits together (threat 7)', async () => {
  const service = await scriptedService(silent)
  const intents = new PaymentIntents({
    apiKey,
    baseUrl: service.url,
    timeout: 200,
    deadline: 300,
    attempts: 99,
  })
  const began = performance.now()
  const error = await failure(intents.create(order))
  expect(performance.now() - began).toBeLessThan(600)
  expect(error).toMatchObject({ code: 'timed_out', outcome: 'unknown' })
})

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is refused, and its target hears nothing (threat 3)`, async () => {
    const target = await scriptedService(created())
    const service = await scriptedService(redirect(status, `${target.url}/payment-intents`))
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
    const error = await failure(intents.create(order))
    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ code: 'redirect_refused', outcome: 'unknown', retryable: false })
    expect(service.requests).toHaveLength(1)
    expect(target.requests).toHaveLength(0)
  })
}

for (const lie of [{ orderId: 'B-2' }, { amount: 1 }, { currency: 'USD' }, { clientSecret: '' }]) {
  test(`an answer with another ${Object.keys(lie)} gives no handoff (threat 6)`, async () => {
    const service = await scriptedService(created(lie))
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
    const error = await failure(intents.create(order))
    expect(error).toBeInstanceOf(ContractError)
    expect(error).toMatchObject({ code: 'contract_broken', outcome: 'unknown', retryable: false })
    expect(service.requests).toHaveLength(1)
  })
}

test('HTML with 200 is no success, and is tried again', async () => {
  const service = await scriptedService(html(), created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  await expect(intents.create(order)).resolves.toMatchObject({ intent: { id: 'pi_scripted' } })
  expect(service.keys()).toHaveLength(1)
})

test('an endless answer is cut at 256 KB (threat 7)', async () => {
  const service = await scriptedService((response) => {
    response.writeHead(201, { 'content-type': 'application/json' })
    const flood = (): void => {
      while (response.writable && response.write(' '.repeat(65_536))) {}
    }
    response.on('drain', flood)
    flood()
  })
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...fakeTime() })
  const error = await failure(intents.create(order))
  expect(error).toMatchObject({ code: 'answer_too_large', outcome: 'unknown' })
})

test('concurrent calls with one key share one exchange', async () => {
  const service = await scriptedService((response, request) => {
    setTimeout(() => void created()(response, request), 50)
  })
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const results = await Promise.all(Array.from({ length: 20 }, () => intents.create(order)))
  expect(new Set(results.map(({ handoff }) => handoff.clientSecret))).toEqual(new Set([secret]))
  expect(service.requests).toHaveLength(1)
})

test('two bodies under one given key are two exchanges', async () => {
  const service = await scriptedService(created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  await Promise.all([
    intents.create(order, { idempotencyKey: 'mine' }),
    intents.create({ ...order, amount: 1 }, { idempotencyKey: 'mine' }),
  ])
  expect(service.requests).toHaveLength(2)
})

test('an abort ends the wait at once and tells that an intent may exist', async () => {
  const service = await scriptedService(silent)
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const controller = new AbortController()
  const call = failure(intents.create(order, { signal: controller.signal }))
  await expect.poll(() => service.requests.length).toBe(1)
  controller.abort(new Error('the buyer left'))
  const error = await call
  expect(error).toBeInstanceOf(AbortedError)
  expect(error).toMatchObject({ code: 'aborted', outcome: 'unknown' })
  expect(error.cause).toEqual(new Error('the buyer left'))
})

test('an abort in the middle of the body ends the wait and the connection', async () => {
  for (const way of [undefined, fetch]) {
    let closed = false
    const service = await scriptedService((response, request) => {
      response.on('close', () => {
        closed = true
      })
      return stall(response, request)
    })
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url, fetch: way })
    const controller = new AbortController()
    const call = failure(intents.create(order, { signal: controller.signal }))
    await expect.poll(() => service.requests.length).toBe(1)
    setTimeout(() => controller.abort(), 50)
    expect(await call).toMatchObject({ code: 'aborted', outcome: 'unknown' })
    await expect.poll(() => closed).toBe(true)
  }
})

test('a signal that is aborted already sends nothing', async () => {
  const service = await scriptedService(created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const error = await failure(intents.create(order, { signal: AbortSignal.abort() }))
  expect(error).toMatchObject({ code: 'aborted', outcome: 'not_sent', attempts: [] })
  expect(service.requests).toHaveLength(0)
})

test('an abort during the wait between attempts ends it', async () => {
  const service = await scriptedService(problem(503, 'store_unavailable', { 'retry-after': '20' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const controller = new AbortController()
  const call = failure(intents.create(order, { signal: controller.signal }))
  await expect.poll(() => service.requests.length).toBe(1)
  setTimeout(() => controller.abort(), 50)
  expect(await call).toMatchObject({ code: 'aborted', outcome: 'unknown' })
})

test("one caller's abort leaves the others their answer", async () => {
  const service = await scriptedService((response, request) => {
    setTimeout(() => void created()(response, request), 100)
  })
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const controller = new AbortController()
  const left = failure(intents.create(order, { signal: controller.signal }))
  const stays = intents.create(order)
  await expect.poll(() => service.requests.length).toBe(1)
  controller.abort()
  expect(await left).toBeInstanceOf(AbortedError)
  expect((await stays).intent.id).toBe('pi_scripted')
  expect(service.requests).toHaveLength(1)
})

test("a caller with more time goes on after the first caller's deadline", async () => {
  const service = await scriptedService(silent, created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, attempts: 1 })
  // Long enough for its request to arrive, or it would be the other's that is met by silence.
  const hasty = failure(intents.create(order, { deadline: 500 }))
  const patient = intents.create(order, { deadline: 20_000 })
  expect(await hasty).toMatchObject({ code: 'timed_out' })
  expect((await patient).intent.id).toBe('pi_scripted')
  expect(service.keys()).toHaveLength(1)
})

test("a caller with less time leaves before the first caller's deadline", async () => {
  const service = await scriptedService((response, request) => {
    setTimeout(() => void created()(response, request), 300)
  })
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const patient = intents.create(order)
  const hasty = failure(intents.create(order, { deadline: 50 }))
  expect(await hasty).toMatchObject({ code: 'timed_out', outcome: 'unknown' })
  expect((await patient).intent.id).toBe('pi_scripted')
})

test("no listener stays on the caller's signal", async () => {
  const service = await scriptedService(problem(503, 'store_unavailable'), created(), retrieved())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, random: () => 0 })
  const { signal } = new AbortController()
  let listeners = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--
    removeEventListener.apply(signal, args)
  }
  await intents.create(order, { signal })
  await intents.retrieve('pi_1', { signal })
  expect(listeners).toBe(0)
})

test('every attempt is told, failed ones too, and a throwing observer breaks nothing', async () => {
  const service = await scriptedService(problem(503, 'store_unavailable'), created())
  const seen: unknown[] = []
  const intents = new PaymentIntents({
    apiKey,
    baseUrl: service.url,
    ...fakeTime(),
    onAttempt: (attempt) => {
      seen.push(attempt)
      throw new Error('a broken observer')
    },
  })
  await intents.create(order)
  const shared = {
    operation: 'create',
    requestId: 'req_1',
    idempotencyKey: service.keys()[0],
    ms: 0,
  }
  expect(seen).toEqual([
    { ...shared, number: 1, status: 503, code: 'store_unavailable', retryIn: 125 },
    { ...shared, number: 2, status: 201, code: undefined, retryIn: undefined },
  ])
})

test('the diagnostics channel hears of every attempt', async () => {
  const { channel } = await import('node:diagnostics_channel')
  const service = await scriptedService(created())
  const seen: unknown[] = []
  const hear = (message: unknown): void => void seen.push(message)
  channel('pi-checkout:attempt').subscribe(hear)
  await new PaymentIntents({ apiKey, baseUrl: service.url }).create(order)
  channel('pi-checkout:attempt').unsubscribe(hear)
  expect(seen).toMatchObject([{ operation: 'create', number: 1, status: 201 }])
})

test('retrieve reads the intent and never lets a secret through (threat 12)', async () => {
  const service = await scriptedService(retrieved({ clientSecret: secret, status: 'succeeded' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const intent = await intents.retrieve('pi_abc')
  expect(intent).toMatchObject({ id: 'pi_abc', status: 'succeeded' })
  expect(JSON.stringify(intent)).not.toContain(secret)
  expect(service.requests[0]).toMatchObject({ method: 'GET', url: '/payment-intents/pi_abc' })
})

test('retrieve refuses the answer of another intent (threat 6)', async () => {
  const service = await scriptedService(retrieved({ id: 'pi_other' }))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  expect(await failure(intents.retrieve('pi_abc'))).toMatchObject({ code: 'contract_broken' })
})

for (const id of ['..', '.', '%2e%2e', 'a/b', 'a?x', '\\..\\x', '', 'x'.repeat(129)]) {
  test(`retrieve refuses the id ${JSON.stringify(id.slice(0, 9))} before anything is sent (threat 5)`, async () => {
    const service = await scriptedService(retrieved())
    const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
    await expect(intents.retrieve(id)).rejects.toThrow(/^id: must be the id of a Payment Intent/)
    expect(service.requests).toHaveLength(0)
  })
}

test('waitUntil polls with growing waits until the intent is as awaited', async () => {
  const service = await scriptedService(
    retrieved(),
    retrieved({ status: 'processing' }),
    retrieved({ status: 'succeeded' }),
  )
  const time = fakeTime()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...time })
  const intent = await intents.waitUntil('pi_abc', ({ status }) => status === 'succeeded')
  expect(intent.status).toBe('succeeded')
  expect(time.waits).toEqual([500, 750])
})

test('waitUntil ends at its deadline and on abort', async () => {
  const service = await scriptedService(retrieved())
  const time = fakeTime()
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url, ...time })
  const late = await failure(intents.waitUntil('pi_abc', () => false, { deadline: 3000 }))
  expect(late).toMatchObject({ code: 'timed_out', retryable: true })
  const controller = new AbortController()
  const patient = new PaymentIntents({ apiKey, baseUrl: service.url })
  const waiting = failure(patient.waitUntil('pi_abc', () => false, { signal: controller.signal }))
  setTimeout(() => controller.abort(), 50)
  expect(await waiting).toMatchObject({ code: 'aborted' })
})

test('an idempotency key that is empty, blank or no text is refused, never replaced', async () => {
  const intents = new PaymentIntents({ apiKey, baseUrl: 'http://127.0.0.1:1' })
  for (const idempotencyKey of ['', ' ', 'ключ', 'a\nb', 'x'.repeat(256), 7 as never]) {
    await expect(intents.create(order, { idempotencyKey })).rejects.toThrow(/^idempotencyKey: must/)
  }
})

test('no error, client, intent or handoff prints a key or a secret (threat 2)', async () => {
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
    const options = { apiKey, baseUrl: service.url, attempts: 2, timeout: 100, ...fakeTime() }
    const error = await failure(new PaymentIntents(options).create(order))
    expect(prints(error)).not.toContain(apiKey)
    expect(prints(error)).not.toContain(secret)
  }
  const broken = async (): Promise<never> => {
    const request = { headers: { authorization: `Bearer ${apiKey}` } }
    throw Object.assign(new Error(`sent ${apiKey}`), { request, cause: { apiKey } })
  }
  const own = new PaymentIntents({ apiKey, baseUrl: elsewhere, fetch: broken, ...fakeTime() })
  expect(prints(await failure(own.create(order)))).not.toContain(apiKey)
  const service = await scriptedService(created())
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const result = await intents.create(order)
  expect(inspect(intents, { depth: null, showHidden: true })).not.toContain(apiKey)
  expect(inspect(result, { depth: null })).not.toContain(secret)
  expect(prints(result.intent)).not.toContain(secret)
})
