import { expect, test, vi } from 'vitest'
import {
  type AuthorizeQuery,
  createCheckout,
  memoryPayments,
  PaymentIntents,
} from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { captureStderr, fakeTimers, movableClock, orderId, origin, shop } from './shop.ts'

test('the page gets exactly id and clientSecret, not to be stored', async () => {
  const { handoff, service } = shop()
  const response = await handoff({ orderId })
  expect(response.status).toBe(200)
  const body = (await response.json()) as Record<string, string>
  expect(Object.keys(body)).toEqual(['id', 'clientSecret'])
  expect(body.id).toBe(service.intents[0]?.id)
  expect(response.headers.get('cache-control')).toBe('no-store, private')
  expect(response.headers.get('set-cookie')).toBeNull()
})

test('the store gets no secret', async () => {
  const { handoff, record } = shop()
  const { clientSecret } = (await (await handoff()).json()) as { readonly clientSecret: string }
  expect(JSON.stringify(await record())).not.toContain(clientSecret)
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
    /^order: the hook returned order "C-3" for orderId "A-1001"/,
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

test.each(['authorize', 'order', 'onPaid', 'payments'])('rejects a checkout without %s', (name) => {
  expect(() => shop({ [name]: null as never })).toThrow(new RegExp(`^${name}: must be a`))
})

test('authorize gets the request and the context', async () => {
  const calls: string[] = []
  const checkout = createCheckout({
    intents: new PaymentIntents(fakeService().options),
    shopOrigin: origin,
    authorize: ({
      orderId: asked,
      request,
      context,
    }: AuthorizeQuery<{ readonly user: string }>) => {
      calls.push(`${asked} ${request.method} ${context.user}`)
      return orderId
    },
    order: () => ({ orderId, amount: 100, currency: 'AMD' }),
    payments: memoryPayments(),
    onPaid: () => true,
  })
  const headers = { origin, 'content-type': 'application/json' }
  const request = new Request(`${origin}/checkout/handoff`, { method: 'POST', headers, body: '{}' })
  expect((await checkout(request, { user: 'ani' })).status).toBe(200)
  expect(calls).toEqual(['undefined POST ani'])
})

test('check() and start() find what the client finds, and a wrong interval', async () => {
  const service = fakeService()
  const { checkout } = shop({ service })
  for (const call of [checkout.check, checkout.start]) {
    service.status(401, { code: 'invalid_credentials' })
    await expect(call()).rejects.toMatchObject({ status: 401 })
  }
  await checkout.check()
  await expect(checkout.start({ interval: 0 })).rejects.toThrow(/^interval: must be a number/)
})

test('a hook that never returns does not end the runs of start()', async () => {
  fakeTimers()
  let isStuck = false
  const { checkout, handoff, rows, service, paid, errors } = shop({
    order: (id) => (isStuck && id === orderId ? new Promise(() => {}) : rows.get(id)),
  })
  const stop = await checkout.start()
  for (const id of [orderId, 'B-2']) {
    rows.set(id, { orderId: id, amount: 100, currency: 'AMD' })
    await handoff({ orderId: id })
    service.settle(id, 'succeeded')
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
  const { intent, phase, rows, service, reviews } = shop({ authorize: () => orderId })
  const id = await intent()
  rows.delete(orderId)
  expect(await phase()).toBe('order_not_found')
  service.settle(id, 'processing')
  expect([await phase(), await intent()]).toEqual(['processing', 'payment_in_progress'])
  service.settle(id, 'succeeded')
  expect([await phase(), reviews]).toEqual(['review', [`${id} order_not_found`]])
})

test('start() waits longer while the service cannot be reached', async () => {
  fakeTimers()
  const { checkout, errors } = shop({
    payments: { ...memoryPayments(), due: () => Promise.reject(new Error('database down')) },
  })
  const stop = await checkout.start()
  await vi.advanceTimersByTimeAsync(60 * 60_000)
  expect(errors.length).toBeGreaterThan(5)
  expect(errors.length).toBeLessThan(20)
  await stop()
})

test('writes an error to stderr without onError, and one line for a rejected request', async () => {
  const stderr = captureStderr()
  const order = () => Promise.reject(new Error('broken hook'))
  const { handoff } = shop({ onError: undefined, order })
  await handoff()
  await handoff({}, { origin: 'https://evil.example', 'x-request-id': 'req-7' })
  const line =
    'POST /checkout/handoff returned 403 origin_not_allowed, X-Request-Id "req-7": origin: must be "https://shop.example" of the shopOrigin option of createCheckout(). Open the page there, or change the option.'
  expect(stderr.mock.calls).toEqual([
    ['pi-checkout:', new Error('broken hook')],
    ['pi-checkout:', line],
  ])
})

test('writes at most 60 lines a minute about rejected requests', async () => {
  const { move } = movableClock()
  const stderr = captureStderr()
  const { handoff } = shop({ onError: undefined })
  const reject = () => handoff({}, { origin: 'https://evil.example' })
  for (let count = 0; count < 100; count++) await reject()
  expect(stderr).toHaveBeenCalledTimes(60)
  expect(stderr.mock.lastCall?.[1]).toMatch(/The rejections after it in this minute have no line/)
  move(60_000)
  await reject()
  expect(stderr).toHaveBeenCalledTimes(61)
})

test('writes a payment under review to stderr without onReview', async () => {
  const { move } = movableClock()
  const stderr = captureStderr()
  const { checkout, intent, service, rows } = shop({ onReview: undefined })
  const first = await intent()
  service.settle(first, 'succeeded')
  rows.delete(orderId)
  move(60_000)
  await checkout.reconcile()
  const [[, line] = []] = stderr.mock.calls
  expect(line).toBe(
    `payment ${first} of 100 AMD for order "A-1001" needs a review: order_not_found. Accept or refund it with resolve().`,
  )
})

test('an error of onError does not change the response', async () => {
  for (const onError of [
    () => {
      throw new Error('broken listener')
    },
    () => Promise.reject(new Error('broken listener')) as never,
  ]) {
    const order = () => Promise.reject(new Error('broken hook'))
    expect((await shop({ order, onError }).handoff()).status).toBe(500)
  }
})
