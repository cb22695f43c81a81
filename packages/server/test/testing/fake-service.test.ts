import { expect, test } from 'vitest'
import { PaymentIntents, verify } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { retryAtOnce } from '../scripted-service.ts'

retryAtOnce()

const order = { amount: 150000, currency: 'AMD', orderId: 'A-1001' } as const

/** Faults, what the client reports of their request, and its wait. The others are compared with the real service. */
const faults: [string, (service: FakeService) => FakeService, [string, number]][] = [
  ['refuseConnection()', (it) => it.refuseConnection(), ['ECONNREFUSED', 0]],
  ['status(429)', (it) => it.status(429, { retryAfter: 1 }), ['rate_limited', 1000]],
  ['status(502)', (it) => it.status(502), ['http_502', 0]],
  ['status(503)', (it) => it.status(503, { code: 'timeout' }), ['timeout', 0]],
  [
    'dropAfterCommit(), then other faults',
    (it) => it.dropAfterCommit().stallBody().status(500),
    ['ECONNRESET', 0],
  ],
]
test.each(faults)('%s does what its name says, and creates one intent', async (_, fail, first) => {
  const service = fail(fakeService())
  const seen: [unknown, unknown][] = []
  const intents = new PaymentIntents({
    ...service.options,
    timeout: 300,
    onRequest: ({ code, retryIn }) => seen.push([code, retryIn]),
  })
  const { intent } = await intents.create(order)
  expect(seen[0]).toEqual(first)
  expect(service.intents).toEqual([intent])
  const sent = service.requests.map(({ idempotencyKey, body }) => `${idempotencyKey} ${body}`)
  expect(new Set(sent).size).toBe(1)
})

test('settle changes the latest intent of an order only', async () => {
  const service = fakeService()
  const intents = new PaymentIntents(service.options)
  const { intent: old } = await intents.create(order)
  const { intent } = await intents.create(order, { attempt: 2 })
  const settled = service.settle('A-1001', 'succeeded')
  expect(settled).toEqual({
    ...intent,
    status: 'succeeded',
    updatedAt: expect.any(String),
    paymentMethod: {
      type: 'card',
      card: { brand: 'visa', last4: '4242', expMonth: 12, expYear: 2030, funding: 'credit' },
    },
    providerPaymentId: expect.stringMatching(/^sim_\w{24}$/),
  })
  expect(verify(await intents.retrieve(intent.id), { ...order, id: intent.id })).toBe('paid')
  expect(verify(await intents.retrieve(old.id), { ...order, id: old.id })).toBe('open')
  expect(() => service.settle('B-2', 'failed')).toThrow(/^id: must be that of an intent/)
})

test('a fault on a retrieve is retried too', async () => {
  const service = fakeService()
  const intents = new PaymentIntents(service.options)
  const { intent } = await intents.create(order)
  service.dropAfterCommit().status(504)
  expect(await intents.retrieve(intent.id)).toEqual(intent)
  const path = `/payment-intents/${intent.id}`
  const request = { method: 'GET', path, idempotencyKey: undefined, body: '' }
  expect(service.requests.slice(1)).toEqual([request, request, request])
})

test('lists intents without secrets', async () => {
  const service = fakeService()
  await new PaymentIntents(service.options).create(order)
  expect(JSON.stringify(service.intents)).not.toContain('_secret_')
})

test.each(['truncateBody', 'stallBody'] as const)('%s sends half of the body', async (fault) => {
  const service = fakeService()
  const address = `${service.options.baseUrl}/refunds`
  const whole = await (await service.fetch(address)).text()
  const { body } = await service[fault]().fetch(address)
  const half = await body?.getReader().read()
  expect(half?.value).toHaveLength(Math.floor(whole.length / 2))
})
