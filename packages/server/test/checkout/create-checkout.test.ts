import { expect, test, vi } from 'vitest'
import { type CheckoutOptions, memoryPayments } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { captureStderr, fakeTimers, orderId, type ShopOptions, shop } from './shop.ts'

test('the page gets exactly id, clientSecret, and its order, and the store gets no secret', async () => {
  const { handoff, payments, service } = shop()
  const response = await handoff({ orderId })
  const body = (await response.json()) as Record<string, string>
  const { id } = service.intents[0] ?? {}
  expect(body).toEqual({ id, clientSecret: expect.any(String), orderId })
  expect(response.headers.get('cache-control')).toBe('no-store, private')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(JSON.stringify(await payments())).not.toContain(body.clientSecret)
})

test('status returns the phase, and why a payment failed', async () => {
  const { intent, status, service } = shop()
  expect(await (await status()).json()).toEqual({ phase: 'open', orderId: 'A-1001' })
  service.settle(await intent(), 'canceled')
  const response = await status()
  expect(await response.json()).toEqual({ phase: 'failed', reason: 'canceled', orderId: 'A-1001' })
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

const other = { orderId: 'C-3', amount: 100, currency: 'AMD' } as const
test.each<[string, string, number, ShopOptions]>([
  ['authorize', 'a number', 500, { authorize: () => 7 as never }],
  ['order', 'another order', 500, { order: () => other }],
  ['authorize', 'undefined', 404, { authorize: () => undefined }],
  ['authorize', 'null', 404, { authorize: () => null }],
  ['authorize', 'an empty id', 404, { authorize: () => '' }],
  ['order', 'undefined', 404, { order: () => undefined }],
])('if %s returns %s, handoff and status return %i', async (hook, _, code, hooks) => {
  const { handoff, status, errors, service } = shop(hooks)
  expect([(await handoff()).status, (await status()).status]).toEqual([code, code])
  if (code === 500) expect(String(errors[0])).toMatch(`${hook}: the hook`)
  expect(service.requests).toEqual([])
})

test.each([
  ['authorize', null, 'must be a function'],
  ['order', null, 'must be a function'],
  ['onPaid', null, 'must be a function'],
  ['payments', null, 'must be a store'],
  ['shopOrigin', 'http://shop.example', 'must be https'],
  ['shopOrigin', undefined, 'must be .*default port'],
])('rejects a checkout whose %s is %j', (name, value, rule) => {
  expect(() => shop({ [name]: value })).toThrow(new RegExp(`^${name}: .*${rule}`))
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

test.each(['authorize', 'order', 'load', 'fetch'] as const)(
  'a page gets a response before it gives up, also if %s hangs',
  async (name) => {
    fakeTimers()
    const hang = () => new Promise<never>(() => {})
    const payments = { ...memoryPayments(), ...(name === 'load' && { load: hang }) }
    const service = fakeService()
    const options = { ...service.options, ...(name === 'fetch' && { fetch: hang }) }
    const { handoff, status } = shop({ [name]: hang, payments, service: { ...service, options } })
    // Before the first handoff, a status needs no request.
    const responses = Promise.all([handoff(), name === 'fetch' ? handoff() : status()])
    await vi.advanceTimersByTimeAsync(19_500)
    const codes = await Promise.race([responses, 'no response'])
    expect(codes).toMatchObject([{ status: 503 }, { status: 503 }])
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

test.each<[string, CheckoutOptions['onPaid'], reason: string, cause: object]>([
  ['throws', () => expect.fail('database down'), 'database down', Error],
  ['returns nothing', () => undefined as never, 'must return true, or false', TypeError],
])(
  'an order whose onPaid %s is not paid, and onError gets order and intent',
  async (_, onPaid, reason, cause) => {
    const onError = vi.fn()
    const { intent, service, phase } = shop({ onPaid, onError })
    const id = await intent()
    service.settle(id, 'succeeded')
    expect(await phase()).toBe('processing')
    const [{ error, ...about }] = onError.mock.calls[0] ?? []
    expect(about).toMatchObject({ orderId })
    expect(error.message).toMatch(`onPaid failed for intent ${id} of order "A-1001": ${reason}`)
    expect([error.name, error.cause]).toEqual(['ShopError', expect.any(cause)])
  },
)

test('an order that the shop returns only while it is unpaid stays paid for the page', async () => {
  const { intent, handoff, phase, rows, service } = shop({
    order: (id) => (rows.get(id)?.paidBy === undefined ? rows.get(id) : undefined),
  })
  service.settle(await intent(), 'succeeded')
  expect([await phase(), await phase()]).toEqual(['paid', 'paid'])
  const response = await handoff()
  expect(response.status).toBe(409)
  expect(await response.json()).toMatchObject({ code: 'order_already_paid', orderId })
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

test('status() rejects with a code for a closed order, and while the service is down', async () => {
  const { checkout, intent, rows, service } = shop()
  await intent()
  service.status(503)
  const rejection = { name: 'HandoffRejection', code: 'payment_unavailable' }
  await expect(checkout.status(orderId)).rejects.toMatchObject(rejection)
  rows.delete(orderId)
  await expect(checkout.status(orderId)).rejects.toMatchObject({ code: 'order_not_found' })
})

test('writes an error to stderr without onError, and one line for a rejected request', async () => {
  const stderr = captureStderr()
  const cause = new Error('broken hook')
  const { handoff } = shop({ onError: undefined, order: () => Promise.reject(cause) })
  await handoff()
  await handoff({}, { origin: 'https://evil.example' })
  expect(stderr.mock.calls).toMatchObject([
    ['pi-checkout:', { message: expect.stringContaining(`"${orderId}"`), cause }],
    ['pi-checkout:', expect.stringMatching(/ 403 origin_not_allowed: /)],
  ])
})

test('writes a payment under review to stderr without onReview', async () => {
  const stderr = captureStderr()
  const { edit, intent, later, service } = shop({ onReview: undefined })
  const first = await intent()
  service.settle(first, 'succeeded')
  edit(200)
  await later()
  const [[, line] = []] = stderr.mock.calls
  expect(line).toMatch(`payment ${first} of 100 AMD for order "A-1001" needs a review`)
})

test('an onError that throws or rejects does not change the response', async () => {
  const order = () => Promise.reject(new Error('broken hook'))
  const broken = () => expect.fail('broken listener')
  for (const onError of [broken, async () => broken()]) {
    expect((await shop({ order, onError }).handoff()).status).toBe(503)
  }
})

test.each(['load', 'save', 'order', 'authorize'] as const)(
  'a page can try again after %s failed for a moment',
  async (name) => {
    const authorize = () => orderId
    const order = () => ({ orderId, amount: 100, currency: 'AMD' }) as const
    const hooks = { ...memoryPayments(), authorize, order }
    vi.spyOn(hooks, name).mockImplementationOnce(() => expect.fail('database down'))
    const { handoff } = shop({ ...hooks, payments: hooks })
    const response = await handoff()
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code: 'payment_unavailable', retryable: true })
    expect((await handoff()).status).toBe(200)
  },
)

test('writes at most 60 lines a minute about rejected requests, which hide no error', async () => {
  const stderr = captureStderr()
  const order = () => expect.fail('broken hook')
  const { handoff, status } = shop({ onError: undefined, order })
  const reject = () => handoff({}, { origin: 'https://evil.example' })
  for (let count = 0; count < 100; count++) await reject()
  expect(stderr).toHaveBeenCalledTimes(60)
  await status()
  expect(stderr).toHaveBeenCalledTimes(61)
  vi.setSystemTime(Date.now() + 60_000)
  await reject()
  expect(stderr).toHaveBeenCalledTimes(62)
})
