import { expect, onTestFinished, test, vi } from 'vitest'
import { memoryPayments, PaymentIntents } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { captureStderr, fakeTimers, orderId, origin, type Shop, shop } from './shop.ts'

test('the page gets exactly id and clientSecret, and the store gets no secret', async () => {
  const { handoff, record, service } = shop()
  const response = await handoff({ orderId })
  const body = (await response.json()) as Record<string, string>
  expect(body).toEqual({ id: service.intents[0]?.id, clientSecret: expect.any(String) })
  expect(response.headers.get('cache-control')).toBe('no-store, private')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(JSON.stringify(await record())).not.toContain(body.clientSecret)
})

test('status returns the phase, and why a payment failed', async () => {
  const { intent, status, service } = shop()
  expect(await (await status()).json()).toEqual({ phase: 'open' })
  service.settle(await intent(), 'canceled')
  const response = await status()
  expect(await response.json()).toEqual({ phase: 'failed', reason: 'canceled' })
  expect(response.headers.get('cache-control')).toBe('no-store, private')
})

test.each([
  [422, 'idempotency_key_reused', 502, 'payment_refused'],
  [503, 'store_unavailable', 503, 'payment_unavailable'],
  [401, 'invalid_credentials', 500, 'internal_error'],
] as const)(
  'after %i %s the page gets %i %s without reasons',
  async (given, reason, status, code) => {
    const service = fakeService().status(given, { code: reason })
    const { handoff, errors } = shop({ service })
    const response = await handoff()
    expect(response.status).toBe(status)
    const body = (await response.json()) as object
    expect(Object.keys(body).sort()).toEqual(['code', 'retryable', 'status', 'title', 'type'])
    expect(body).toMatchObject({ code, retryable: status === 503 })
    expect(JSON.stringify(body)).not.toMatch(/idempotency|store|credential/)
    expect(errors).toHaveLength(1)
  },
)

test.each([
  ['authorize', { authorize: () => 7 as never }, /^authorize: the hook must return the id/],
  [
    'order',
    { order: () => ({ orderId: 'C-3', amount: 100, currency: 'AMD' as const }) },
    /^order: the hook returned another order for orderId "A-1001"/,
  ],
])('a wrong result of %s is an error', async (_, hooks, message) => {
  const { handoff, status, errors, service } = shop(hooks)
  expect([(await handoff()).status, (await status()).status]).toEqual([500, 500])
  for (const error of errors) expect((error as Error).message).toMatch(message)
  expect(service.requests).toEqual([])
})

test.each([
  ['authorize', 'undefined', { authorize: () => undefined }],
  ['authorize', 'null', { authorize: () => null }],
  ['authorize', 'an empty id', { authorize: () => '' }],
  ['order', 'undefined', { order: () => undefined }],
])('an order for which %s returns %s is not found', async (_, _result, hooks) => {
  const { handoff, status } = shop(hooks)
  expect([(await handoff()).status, (await status()).status]).toEqual([404, 404])
})

test.each([
  ['without authorize', { authorize: null }, /^authorize: must be a function/],
  ['without order', { order: null }, /^order: must be a function/],
  ['without onPaid', { onPaid: null }, /^onPaid: must be a function/],
  ['without payments', { payments: null }, /^payments: must be a store/],
  ['for http', { shopOrigin: 'http://shop.example' }, /^shopOrigin: must be https/],
  ['without shopOrigin', { shopOrigin: undefined }, /^shopOrigin: must be .*default port/],
  ['for no origin', { shopOrigin: [] }, /^shopOrigin: must be .*default port/],
  [
    'for a host',
    { shopOrigin: [origin, 'shop.example'] },
    /https:\/\/shop\.example\. Set the shop/,
  ],
  [
    'for the origin of the hosted checkout',
    { shopOrigin: 'https://pay.example' },
    /^shopOrigin: is the hosted checkout's, PI_CHECKOUT_ORIGIN.*The hosted checkout's is checkoutOrigin/,
  ],
])('rejects a checkout %s', (_, options, rule) => {
  vi.stubEnv('PI_CHECKOUT_ORIGIN', 'https://pay.example/')
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(() => shop(options as never)).toThrow(rule)
})

test('start() finds what the client finds, and a wrong interval', async () => {
  const { checkout, service } = shop()
  service.status(401, { code: 'invalid_credentials' })
  await expect(checkout.start()).rejects.toMatchObject({ status: 401 })
  await expect(checkout.start({ interval: 0 })).rejects.toThrow(/^interval: must be a number/)
})

test('a hook that never returns does not end the runs of start()', async () => {
  fakeTimers()
  let isStuck = false
  const { add, checkout, intent, rows, service, paid, errors } = shop({
    order: (id) => (isStuck && id === orderId ? new Promise(() => {}) : rows.get(id)),
  })
  const stop = await checkout.start()
  for (const id of [orderId, 'B-2']) {
    add(id)
    service.settle(await intent(id), 'succeeded')
    isStuck = true
    await vi.advanceTimersByTimeAsync(5 * 60_000)
  }
  await stop()
  expect(paid).toEqual([service.intents[1]?.id])
  expect(String(errors[0])).toMatch(/order "A-1001" was not checked within 120 seconds/)
})

test.each([
  ['the page gives up', undefined, 19_000],
  ["the client's own limit, if that is shorter,", 5_000, 5_500],
])(
  'a handoff has its response before %s, also if the service has none',
  async (_, totalTimeout, time) => {
    fakeTimers()
    const fetch = (_: unknown, { signal }: RequestInit = {}): Promise<Response> =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    const intents = new PaymentIntents({ ...fakeService().options, fetch, totalTimeout })
    const intent = shop({ intents }).intent()
    await vi.advanceTimersByTimeAsync(time)
    expect(await Promise.race([intent, 'no response'])).toBe('payment_unavailable')
  },
)

test.each(['authorize', 'order', 'load'] as const)(
  'a page gets a response before it gives up, also if %s hangs',
  async (name) => {
    fakeTimers()
    const hang = () => new Promise<never>(() => {})
    const options =
      name === 'load' ? { payments: { ...memoryPayments(), load: hang } } : { [name]: hang }
    const { handoff, status, errors } = shop(options)
    const responses = Promise.all([handoff(), status()])
    await vi.advanceTimersByTimeAsync(19_500)
    const codes = await Promise.race([responses, 'no response'])
    expect(codes).toMatchObject([{ status: 503 }, { status: 503 }])
    expect(String(errors[0])).toMatch(/authorize, order, onPaid, or the store did not return/)
  },
)

test.each([
  ['an empty e-mail', { email: '' }, {}],
  ['an empty name', { name: '', email: 'ani@example.com' }, { email: 'ani@example.com' }],
  ['an e-mail without @', { email: 'ani' }, {}],
  ['a long name', { name: 'A'.repeat(129), email: 'ani' }, {}],
])('%s of a buyer does not keep them from paying', async (_, given, sent) => {
  const customer = { id: 'c-1', ...given }
  const { intent, service } = shop({
    order: () => ({ orderId, amount: 100, currency: 'AMD', customer }),
  })
  expect(await intent()).toMatch(/^pi_/)
  expect(service.intents[0]?.customer).toEqual({ id: 'c-1', ...sent })
})

test('an error of a hook names order and intent, also for onError', async () => {
  const failures: unknown[] = []
  const cause = new Error('database down')
  const { intent, service, phase } = shop({
    onPaid: () => Promise.reject(cause),
    onError: ({ error, orderId }) => failures.push(String(error), orderId, (error as Error).cause),
  })
  const id = await intent()
  service.settle(id, 'succeeded')
  expect(await phase()).toBe('processing')
  const message = `ShopError: onPaid failed for intent ${id} of order "A-1001": database down`
  expect(failures).toEqual([message, orderId, cause])
})

test('an order that the shop returns only while it is unpaid stays paid for the page', async () => {
  const { intent, phase, rows, service } = shop({
    order: (id) => (rows.get(id)?.paidBy === undefined ? rows.get(id) : undefined),
  })
  service.settle(await intent(), 'succeeded')
  expect([await phase(), await phase(), await intent()]).toEqual([
    'paid',
    'paid',
    'order_already_paid',
  ])
})

test('a page that asks for a closed order sees its payment until it has a result', async () => {
  const { intent, phase, rows, service, reviews, later } = shop({ authorize: () => orderId })
  const id = await intent()
  rows.delete(orderId)
  expect(await phase()).toBe('order_not_found')
  service.settle(id, 'processing')
  expect([await phase(), await intent()]).toEqual(['processing', 'payment_in_progress'])
  service.settle(id, 'succeeded')
  expect(await phase()).toBe('review')
  await later()
  expect(reviews).toEqual([`${id} order_not_found`])
})

test('writes an error to stderr without onError, and one line for a rejected request', async () => {
  const stderr = captureStderr()
  const cause = new Error('broken hook')
  const { handoff } = shop({ onError: undefined, order: () => Promise.reject(cause) })
  await handoff()
  await handoff({}, { origin: 'https://evil.example', 'x-request-id': 'req-7' })
  const line = expect.stringMatching(
    /^\/checkout\/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be/,
  )
  const [[, error] = [], second] = stderr.mock.calls
  expect(error).toMatchObject({
    message: 'order: the hook failed for order "A-1001": broken hook',
    cause,
    retryable: true,
  })
  expect(second).toEqual(['pi-checkout:', line])
})

test('writes at most 60 lines a minute about errors', async () => {
  const stderr = captureStderr()
  const { handoff, later } = shop({ onError: undefined })
  const reject = () => handoff({}, { origin: 'https://evil.example' })
  for (let count = 0; count < 100; count++) await reject()
  expect(stderr).toHaveBeenCalledTimes(60)
  expect(stderr.mock.lastCall?.[2]).toMatch(/The errors after it in this minute have no line/)
  await later()
  await reject()
  expect(stderr).toHaveBeenCalledTimes(61)
})

test('writes a payment under review to stderr without onReview', async () => {
  const stderr = captureStderr()
  const { intent, later, service, rows } = shop({ onReview: undefined })
  const first = await intent()
  service.settle(first, 'succeeded')
  rows.delete(orderId)
  await later()
  const [[, line] = []] = stderr.mock.calls
  expect(line).toBe(
    `payment ${first} of 100 AMD for order "A-1001" needs a review: order_not_found. Accept or refund it with resolve().`,
  )
})

test.each([
  ['throws', () => expect.fail('broken listener')],
  ['rejects', () => Promise.reject(new Error('broken listener')) as never],
])('an onError that %s does not change the response', async (_, onError) => {
  const order = () => Promise.reject(new Error('broken hook'))
  expect((await shop({ order, onError }).handoff()).status).toBe(503)
})

test.each(['load', 'save', 'order', 'authorize'])(
  'a page can try again after %s failed for a moment',
  async (name) => {
    let isDown = true
    const store = memoryPayments()
    const down = (called: string): void => {
      if (isDown && called === name) throw new Error('database down')
    }
    const { handoff }: Shop = shop({
      authorize: () => {
        down('authorize')
        return orderId
      },
      order: () => {
        down('order')
        return { orderId, amount: 100, currency: 'AMD' }
      },
      payments: {
        ...store,
        load: (...args) => {
          down('load')
          return store.load(...args)
        },
        save: (record) => {
          down('save')
          return store.save(record)
        },
      },
    })
    const response = await handoff()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'payment_unavailable', retryable: true })
    isDown = false
    expect((await handoff()).status).toBe(200)
  },
)
