import { afterEach, expect, test, vi } from 'vitest'
import {
  createHandoff,
  type HandoffOrder,
  type OrderQuery,
  PaymentIntents,
} from '../../src/index.ts'
import { fakeService, fakeTime } from '../../src/testing/fake-service.ts'
import {
  apiKey,
  created,
  createdAfter,
  order,
  problem,
  retrieved,
  type Step,
  scriptedService,
  secret,
} from '../scripted-service.ts'
import { captureStderr, closed, cookieOf, handlerOf, k1, origin, type Row, shop } from './shop.ts'

afterEach(() => vi.unstubAllEnvs())

test('the page gets exactly id and clientSecret, not to be stored', async () => {
  const service = await scriptedService(created())
  const response = await shop(service.url).handoff({ orderId: 'A-1001' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ id: 'pi_scripted', clientSecret: secret })
  expect(Object.fromEntries(response.headers)).toEqual({
    'cache-control': 'no-store, private',
    'content-type': 'application/json',
    'x-content-type-options': 'nosniff',
    'set-cookie': expect.stringMatching(
      /^__Host-pi-handoff=[\w-]+\.\.[\w-]+\.[\w-]+\.[\w-]+; Max-Age=1800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    ),
  })
  expect(response.headers.get('set-cookie')).not.toContain(secret)
})

test('each order uses the client of its merchant, also for a resumed handoff', async () => {
  const merchants = { a: fakeService(), b: fakeService() }
  const intents = {
    a: new PaymentIntents({ ...merchants.a.options, ...fakeTime() }),
    b: new PaymentIntents({ ...merchants.b.options, ...fakeTime() }),
  }
  let merchant: 'a' | 'b' = 'a'
  const { handle, handoff, row } = shop(closed, { intents: () => intents[merchant] })
  const cookie = cookieOf(await handoff({}))
  const { intentId } = row
  await handoff({}, { cookie })
  expect(merchants.a.requests).toHaveLength(1)
  // The same order id, cart, and intent id, but another merchant: the cookie is not theirs.
  merchant = 'b'
  await handoff({}, { cookie })
  expect(merchants.b.requests.map(({ method }) => method)).toEqual(['POST', 'GET'])
  expect(row.intentId).not.toBe(intentId)
  const summary = await handle.reconcile([{ ...row, intentId: String(row.intentId) }])
  expect(summary).toMatchObject({ orders: 1, open: 1 })
})

test.each<[string, Partial<Row>, 'failed'?]>([
  ['a changed cart', { amount: 2000 }],
  ['a failed payment', { attempt: 2, intentId: null }, 'failed'],
  ['a changed currency', { currency: 'USD' }],
])('a slow handoff does not replace the intent after %s', async (_, change, final) => {
  const service = fakeService()
  let release = (): void => {}
  const slow: typeof fetch = async (input, init) => {
    const response = await service.fetch(input, init)
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return response
  }
  const intents = new PaymentIntents(service.options)
  const fast = shop(closed, { intents })
  const other = shop(closed, {
    intents: new PaymentIntents({ ...service.options, fetch: slow }),
    ...fast.hooks,
  })
  const late = other.handoff({})
  await expect.poll(() => service.intents.length).toBe(1)
  if (final) service.settle(order.orderId, final)
  Object.assign(fast.row, change)
  const shown = await (await fast.handoff({})).json()
  expect(service.intents).toHaveLength(2)
  release()
  await expect.poll(() => service.requests.length).toBe(3)
  release()
  expect(await (await late).json()).toEqual(shown)
  expect(fast.row.intentId).toBe(service.intents[1]?.id)
  service.settle(order.orderId, 'succeeded')
  expect(await (await fast.status()).json()).toEqual({ phase: 'paid' })
})

test('if saveIntent always returns false, the page gets no secret and may try again', async () => {
  const service = await scriptedService(created())
  const hooks = { saveIntent: vi.fn(() => false), onError: vi.fn() }
  const response = await shop(service.url, hooks).handoff({})
  expect([response.status, response.headers.get('set-cookie')]).toEqual([503, null])
  expect(await response.json()).toMatchObject({ code: 'payment_unavailable', retryable: true })
  expect(hooks.saveIntent).toHaveBeenCalledTimes(3)
  expect(hooks.onError.mock.calls[0]?.[0].error.message).toMatch(/^saveIntent: .* false 3 times/)
})

test('if saveIntent fails, the page gets no secret and onError gets the error', async () => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const saveIntent = () => Promise.reject(new Error('database down'))
  const response = await shop(service.url, { saveIntent, onError }).handoff({})
  expect(response.status).toBe(500)
  expect(await response.text()).not.toContain(secret)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(onError).toHaveBeenCalledWith({ error: new Error('database down'), context: undefined })
})

test.each([
  [
    'another order',
    { ...order, orderId: 'C-3', intentId: null },
    /^order: .*"C-3" for orderId "A-1001"/,
  ],
  [
    'an order without intentId',
    order,
    /^order: .* without intentId\. Return the id that saveIntent stored/,
  ],
])('an order hook that returns %s is an error', async (_, wrong, message) => {
  const service = await scriptedService(created())
  const onError = vi.fn()
  const { handoff, status } = shop(service.url, { order: () => wrong as HandoffOrder, onError })
  expect((await handoff({ orderId: 'A-1001' })).status).toBe(500)
  expect((await status('A-1001')).status).toBe(500)
  for (const [{ error }] of onError.mock.calls) expect(error.message).toMatch(message)
  expect(service.requests).toHaveLength(0)
})

test.each([
  [422, 'idempotency_key_reused', 502, 'payment_refused'],
  [503, 'store_unavailable', 503, 'payment_unavailable'],
  [401, 'invalid_credentials', 500, 'internal_error'],
])('after %i %s the page gets %i %s without reasons', async (given, reason, status, code) => {
  const service = await scriptedService(problem(given, reason))
  const onError = vi.fn()
  const response = await shop(service.url, { onError }).handoff({})
  expect(response.status).toBe(status)
  const body = (await response.json()) as object
  expect(Object.keys(body).sort()).toEqual(['code', 'retryable', 'status', 'title', 'type'])
  expect(body).toMatchObject({ code, retryable: status === 503 })
  expect(JSON.stringify(body)).not.toMatch(/idempotency|store|credential|127\.0\.0\.1/)
  expect(onError).toHaveBeenCalledOnce()
})

test('check() finds malformed cookie keys, and what the client finds', async () => {
  vi.stubEnv('PI_HANDOFF_KEYS', 'k1:short')
  const service = await scriptedService(problem(404, 'payment_intent_not_found'))
  const intents = new PaymentIntents({ apiKey, baseUrl: service.url })
  const malformed = handlerOf({ intents, resumeCookie: { keys: undefined } })
  await expect(malformed.check()).rejects.toThrow(/^PI_HANDOFF_KEYS: /)
  expect(service.requests).toHaveLength(0)
  await handlerOf({ intents }).check()
  expect(service.requests).toHaveLength(1)
  await service.close()
  await expect(handlerOf({ intents }).check()).rejects.toMatchObject({ code: 'not_connected' })
})

test('writes an error to stderr without onError', async () => {
  const stderr = captureStderr()
  const order = () => Promise.reject(new Error('broken hook'))
  await shop(closed, { onError: undefined, order }).handoff({})
  expect(stderr).toHaveBeenCalledWith('pi-checkout handoff:', new Error('broken hook'))
})

test('writes one line for a rejected request to stderr without onError', async () => {
  const stderr = captureStderr()
  const headers = { origin: 'https://evil.example\n', 'x-request-id': 'req-7' }
  await shop(closed, { onError: undefined }).handoff({}, headers)
  const line =
    'POST /checkout/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be "https://shop.example" of the shopOrigin option of createHandoff(); received "https://evil.example". Open the page there, or change the option.'
  expect(stderr.mock.calls).toEqual([['pi-checkout handoff:', line]])
})

test('an error of onError does not change the response', async () => {
  for (const onError of [
    () => {
      throw new Error('broken listener')
    },
    () => Promise.reject(new Error('broken listener')) as never,
  ]) {
    const order = () => Promise.reject(new Error('broken hook'))
    expect((await shop(closed, { order, onError }).handoff({})).status).toBe(500)
  }
})

test('hooks get the request and the context', async () => {
  const service = await scriptedService(created())
  const calls: string[] = []
  interface About {
    readonly request: Request
    readonly context: { readonly user: string }
  }
  const log = (name: string, { request, context }: About): void => {
    calls.push(`${name} ${request.method} ${context.user}`)
  }
  const handle = createHandoff({
    intents: new PaymentIntents({ apiKey, baseUrl: service.url }),
    shopOrigin: (about) => {
      log('shopOrigin', about)
      return origin
    },
    resumeCookie: { keys: k1 },
    order: (about: OrderQuery<About['context']>) => {
      log(`order ${about.orderId}`, about)
      return { ...order, intentId: null }
    },
    session: (about) => {
      log('session', about)
      return about.context.user
    },
    saveIntent: ({ order, intent, ...about }) => log(`save ${order.orderId} ${intent.id}`, about),
    settle: () => {},
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  expect((await handle(request, { user: 'ani' })).status).toBe(200)
  expect(calls).toEqual([
    ...['shopOrigin POST ani', 'order undefined POST ani', 'session POST ani'],
    'save A-1001 pi_scripted POST ani',
  ])
})

test('two concurrent tabs get one intent', async () => {
  const service = await scriptedService(createdAfter(50))
  const { handoff } = shop(service.url)
  const [one, two] = await Promise.all([handoff({}), handoff({ orderId: 'A-1001' })])
  expect(await one.json()).toEqual(await two.json())
  expect(service.keys()).toHaveLength(1)
})

const paid = { status: 'succeeded' }
const inProgress = { status: 409, code: 'payment_in_progress' }
const another = { id: 'pi_scripted' }

test.each<[string, Step, Record<string, string | number>, Partial<Row>?]>([
  ['is processing', retrieved({ status: 'processing' }), inProgress],
  ['is unknown', retrieved({ status: 'brand_new' }), inProgress],
  ['is processing, for less', retrieved({ status: 'processing', amount: 1 }), inProgress],
  ['is paid with another amount', retrieved({ ...paid, amount: 1 }), inProgress],
  ['is paid', retrieved(paid), { status: 409, code: 'order_already_paid' }, { paid: true }],
  ['cannot be retrieved', problem(503, 'service_unavailable'), { status: 503 }],
  ['is open with another amount', retrieved({ amount: 1 }), another],
  ['has failed', retrieved({ status: 'expired' }), another, { attempt: 2 }],
  ['does not exist', problem(404, 'payment_intent_not_found'), another],
])(
  'an order whose intent %s gets another only if it cannot be paid twice',
  async (_, old, body, changed) => {
    // As if the service had released the idempotency key: each create returns another intent than the order's.
    const service = await scriptedService((response, request) =>
      (request.method === 'POST' ? created() : old)(response, request),
    )
    const { handoff, row } = shop(service.url, { row: { intentId: 'pi_old' } })
    expect(await (await handoff({})).json()).toMatchObject(body)
    expect(row).toMatchObject({ intentId: body.id ?? 'pi_old', ...changed })
  },
)

test('a payment with another amount is reported when the order asks for another intent', async () => {
  const service = await scriptedService(created(), retrieved({ status: 'succeeded', amount: 1 }))
  const onError = vi.fn()
  await shop(service.url, { row: { intentId: 'pi_old' }, onError }).handoff({})
  const messages = onError.mock.calls.map(([{ error }]) => error.message)
  expect(messages).toEqual([
    'Intent pi_old is paid but does not match order A-1001. Review both manually.',
    expect.stringMatching(/^Intent pi_old of order "A-1001" is "succeeded"\. Another payment must/),
  ])
})
