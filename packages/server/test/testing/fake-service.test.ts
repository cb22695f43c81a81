import { expect, test } from 'vitest'
import { PaymentIntents, verify } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { order, retryAtOnce } from '../scripted-service.ts'

retryAtOnce()

/** Faults, what the client reports of their request, and its wait. The others are compared with the real service. */
test.each<[string, (service: FakeService) => FakeService, code: string, retryIn: number]>([
  ['refuseConnection()', (it) => it.refuseConnection(), 'ECONNREFUSED', 0],
  ['status(429)', (it) => it.status(429, { retryAfter: 1 }), 'rate_limited', 1000],
  ['status(502)', (it) => it.status(502), 'http_502', 0],
  ['status(503)', (it) => it.status(503, { code: 'timeout' }), 'timeout', 0],
  ['several faults', (it) => it.dropAfterCommit().stallBody().status(500), 'ECONNRESET', 0],
])('%s fails create and retrieve, which find one intent', async (_, fail, code, retryIn) => {
  const service = fakeService()
  const seen: unknown[] = []
  const intents = new PaymentIntents({
    ...service.options,
    timeout: 300,
    onRequest: ({ number, code, retryIn }) => number === 1 && seen.push([code, retryIn]),
  })
  fail(service)
  const { intent } = await intents.create(order)
  fail(service)
  expect(await intents.retrieve(intent.id)).toEqual(intent)
  expect(seen).toEqual(Array(2).fill([code, retryIn]))
  expect(service.intents).toEqual([intent])
  const sent = service.requests.map(({ method, path, idempotencyKey, body }) =>
    [method, path, idempotencyKey, body].join(' '),
  )
  expect(new Set(sent).size).toBe(2)
})

test('settle changes the latest intent of an order only', async () => {
  const service = fakeService()
  const intents = new PaymentIntents(service.options)
  const { intent: old } = await intents.create(order)
  const { intent } = await intents.create(order, { attempt: 2 })
  const settled = service.settle(order.orderId, 'succeeded')
  expect(settled).toMatchObject({ id: intent.id, paymentMethod: { card: { last4: '4242' } } })
  expect(await intents.retrieve(intent.id)).toEqual(settled)
  expect(verify(settled, { ...order, id: intent.id })).toBe('paid')
  expect(verify(await intents.retrieve(old.id), { ...order, id: old.id })).toBe('open')
  expect(() => service.settle('B-2', 'failed')).toThrow(/^id: must be that of an intent/)
})
