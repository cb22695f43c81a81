import { statusFaults } from '@pi-checkout/contract/sandbox'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PaymentIntents, type PaymentIntentsOptions, type PiErrorCode } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { failureOf } from '../scripted-service.ts'

/** The service as a separate process. */
let service: Program<ServiceReady>

beforeAll(async () => {
  service = await startService(['--memory'])
}, 120_000)
afterAll(() => service.stop())

const newOrder = () =>
  ({ amount: 1999, currency: 'usd', orderId: crypto.randomUUID().replaceAll('-', '') }) as const

const targets: Record<string, () => PaymentIntentsOptions> = {
  'the fake service': () => fakeService().options,
  'the real service': () => service.ready,
}
test.each(Object.entries(targets))(
  '%s returns the whole intent, replays it, and rejects other ids and keys',
  async (_, optionsOf) => {
    const { apiKey, baseUrl, fetch } = optionsOf()
    const intents = new PaymentIntents({ apiKey, baseUrl, fetch })
    const order = { ...newOrder(), customer: { id: 'c1', name: 'Ani' }, metadata: { cart: '7' } }
    const first = await intents.create(order)
    expect(first.intent).toEqual({
      ...order,
      currency: 'USD',
      id: expect.stringMatching(/^pi_[A-Za-z0-9]{24}$/),
      status: 'requires_payment_method',
      paymentMethod: null,
      lastPaymentFailure: null,
      nextAction: null,
      providerPaymentId: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: first.intent.createdAt,
    })
    expect(first.handoff.clientSecret).toMatch(new RegExp(`^${first.intent.id}_secret_\\w+$`))
    expect(await intents.create(order)).toEqual({ ...first, replayed: true })
    expect(await intents.retrieve(first.intent.id)).toEqual(first.intent)
    const { intent } = await intents.create(order, { attempt: 2 })
    expect(intent.id).not.toBe(first.intent.id)
    const unknown = intents.retrieve('pi_unknown')
    await expect(unknown).rejects.toMatchObject({ code: 'payment_intent_not_found', status: 404 })
    const other = new PaymentIntents({ apiKey: 'another-api-key', baseUrl, fetch })
    await expect(other.check()).rejects.toMatchObject({ code: 'invalid_credentials', status: 401 })
  },
)

test.each(['drop-before-commit', 'drop-after-commit', ...statusFaults])(
  'the fault %s does the same in the fake and in the real service',
  async (fault) => {
    const { apiKey, baseUrl } = service.ready
    let isFirst = true
    const faulty: typeof fetch = (input, init) => {
      const headers = new Headers(init?.headers)
      if (isFirst) headers.set('sandbox-fault', fault)
      isFirst = false
      return fetch(input, { ...init, headers })
    }
    const effect = await effectOf({ apiKey, baseUrl, fetch: faulty })
    expect(await effectOf(withFault(fault).options)).toEqual(effect)
  },
)

test.each<[string, (fake: FakeService) => FakeService, PiErrorCode]>([
  ['refuseConnection()', (fake) => fake.refuseConnection(), 'not_connected'],
  ['status(502)', (fake) => fake.status(502), 'unexpected_response'],
  ['status(503)', (fake) => fake.status(503, { code: 'timeout' }), 'timeout'],
])('%s of the fake service fails a create, which then finds one intent', async (_, fail, code) => {
  const fake = fail(fakeService())
  const intents = new PaymentIntents({ ...fake.options, maxRetries: 0 })
  const order = newOrder()
  expect(await failureOf(intents.create(order))).toMatchObject({ code })
  const { intent } = await intents.create(order)
  expect(fake.intents).toEqual([intent])
  const sent = fake.requests.map(({ body, idempotencyKey }) => body + idempotencyKey)
  expect(new Set(sent).size).toBe(1)
})

test('settle changes the latest intent of an order only', async () => {
  const fake = fakeService()
  const intents = new PaymentIntents(fake.options)
  const order = newOrder()
  const { intent: old } = await intents.create(order)
  const { intent } = await intents.create(order, { attempt: 2 })
  const settled = fake.settle(order.orderId, 'succeeded')
  expect(settled).toMatchObject({ id: intent.id, paymentMethod: { card: { last4: '4242' } } })
  expect(await intents.retrieve(intent.id)).toEqual(settled)
  expect(await intents.retrieve(old.id)).toEqual(old)
  expect(() => fake.settle('B-2', 'failed')).toThrow(/^id: must be that of an intent/)
})

function withFault(fault: string): FakeService {
  const faulty = fakeService()
  if (/^\d+$/.test(fault)) return faulty.status(Number(fault))
  return fault === 'drop-before-commit' ? faulty.dropBeforeCommit() : faulty.dropAfterCommit()
}

/** Creates an intent twice, the first time with a fault. */
async function effectOf(options: PaymentIntentsOptions) {
  const intents = new PaymentIntents({ ...options, maxRetries: 0, timeout: 1_000 })
  const order = newOrder()
  const { code, status, outcome } = await failureOf(intents.create(order))
  const { replayed } = await intents.create(order)
  return { code, status, outcome, replayed }
}
