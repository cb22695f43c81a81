import { expect, test } from 'vitest'
import { ConnectionError, PaymentIntents, verify } from '../../src/index.ts'
import { type FakeService, fakeService, fakeTime } from '../../src/testing/fake-service.ts'

const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const

/**
 * What the client reports of a request with each fault, its wait, whether the request was executed, and the number of
 * requests of the call that arrived.
 */
const faults: [string, (service: FakeService) => FakeService, [string, number, number, number]][] =
  [
    ['dropAfterCommit()', (it) => it.dropAfterCommit(), ['ECONNRESET', 125, 1, 2]],
    ['dropBeforeCommit()', (it) => it.dropBeforeCommit(), ['ECONNRESET', 125, 0, 2]],
    ['refuseConnection()', (it) => it.refuseConnection(), ['ECONNREFUSED', 125, 0, 1]],
    ['stallBody()', (it) => it.stallBody(), ['timed_out', 125, 1, 2]],
    ['truncateBody()', (it) => it.truncateBody(), ['UND_ERR_SOCKET', 125, 1, 2]],
    ['malformedJson()', (it) => it.malformedJson(), ['not_json', 125, 1, 2]],
    ['status(409)', (it) => it.status(409), ['idempotency_key_in_use', 125, 0, 2]],
    ['status(429)', (it) => it.status(429, { retryAfter: 3 }), ['rate_limited', 3000, 0, 2]],
    ['status(500)', (it) => it.status(500), ['internal_error', 125, 0, 2]],
    ['status(502)', (it) => it.status(502), ['http_502', 125, 0, 2]],
    ['status(503)', (it) => it.status(503, { code: 'timeout' }), ['timeout', 125, 0, 2]],
    [
      'dropAfterCommit(), then other faults',
      (it) => it.dropAfterCommit().stallBody().status(500),
      ['ECONNRESET', 125, 1, 4],
    ],
  ]
test.each(faults)(
  '%s does what its name says, and creates one intent',
  async (_, fail, expected) => {
    const [code, wait, executed, arrived] = expected
    const time = fakeTime()
    const service = fail(fakeService())
    const seen: [unknown, number | undefined, number][] = []
    const intents = new PaymentIntents({
      ...{ ...service.options, ...time, timeout: 300 },
      onRequest: (request) => seen.push([request.code, request.retryIn, service.intents.length]),
    })
    const { intent } = await intents.create(order)
    expect(seen[0]).toEqual([code, wait, executed])
    expect(time.waits[0]).toBe(wait)
    expect(service.intents).toEqual([intent])
    expect(service.requests).toHaveLength(arrived)
    const sent = service.requests.map(({ idempotencyKey, body }) => `${idempotencyKey} ${body}`)
    expect(new Set(sent).size).toBe(1)
  },
)

test('a create that failed finds its intent when it is called again', async () => {
  const service = fakeService().dropAfterCommit().dropAfterCommit()
  const intents = new PaymentIntents({ ...service.options, ...fakeTime(), maxRetries: 1 })
  await expect(intents.create(order)).rejects.toBeInstanceOf(ConnectionError)
  const { intent, replayed } = await intents.create(order)
  expect(replayed).toBe(true)
  expect(service.intents).toEqual([intent])
})

test('settle changes the latest intent of an order only', async () => {
  const time = fakeTime()
  const service = fakeService(time)
  const intents = new PaymentIntents({ ...service.options, ...time })
  const { intent: old } = await intents.create(order)
  const { intent } = await intents.create(order, { attempt: 2 })
  await time.sleep(1000)
  const settled = service.settle('A-1001', 'succeeded')
  expect(settled).toEqual({
    ...{ ...intent, status: 'succeeded', updatedAt: expect.any(String) },
    paymentMethod: {
      type: 'card',
      card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
    },
    providerPaymentId: expect.stringMatching(/^sim_\w{24}$/),
  })
  expect(Date.parse(settled.updatedAt)).toBe(Date.parse(intent.createdAt) + 1000)
  expect(verify(await intents.retrieve(intent.id), { ...order, id: intent.id })).toBe('paid')
  expect(verify(await intents.retrieve(old.id), { ...order, id: old.id })).toBe('open')
  const { intent: third } = await intents.create({ ...order, orderId: 'C-3' })
  expect(service.settle('C-3', 'expired')).toEqual({
    ...{ ...third, status: 'expired', updatedAt: expect.any(String) },
  })
  expect(() => service.settle('B-2', 'failed')).toThrow(/^orderId: the order "B-2" has no intent/)
})

test('a fault on a retrieve is retried too', async () => {
  const service = fakeService()
  const intents = new PaymentIntents({ ...service.options, ...fakeTime() })
  const { intent } = await intents.create(order)
  service.dropAfterCommit().status(504)
  expect(await intents.retrieve(intent.id)).toEqual(intent)
  const path = `/payment-intents/${intent.id}`
  const request = { method: 'GET', path, idempotencyKey: undefined, body: '' }
  expect(service.requests.slice(1)).toEqual([request, request, request])
})

test('lists intents without secrets, and accepts its own key only', async () => {
  const service = fakeService()
  await new PaymentIntents(service.options).create(order)
  expect(JSON.stringify(service.intents)).not.toContain('_secret_')
  const other = new PaymentIntents({ ...service.options, apiKey: fakeService().options.apiKey })
  await expect(other.create(order)).rejects.toMatchObject({ code: 'invalid_credentials' })
})

test.each(['truncateBody', 'stallBody'] as const)('%s sends half of the body', async (fault) => {
  const service = fakeService()
  const address = `${service.options.baseUrl}/refunds`
  const whole = await (await service.fetch(address)).text()
  const { body } = await service[fault]().fetch(address)
  const half = await body?.getReader().read()
  expect(half?.value).toHaveLength(Math.floor(whole.length / 2))
})
