import { requestFaults, statusFaults } from '@pi-checkout/contract/sandbox'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newOrderId, PaymentIntents, PiError } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'

/** The service as a separate process. */
let service: Program<ServiceReady>

beforeAll(async () => {
  service = await startService(['--memory'])
}, 120_000)
afterAll(() => service.stop())

const fake = fakeService()
const targets = {
  'the fake service': () => fake.options,
  'the real service': () => ({ apiKey: service.ready.apiKey, baseUrl: service.ready.baseUrl }),
}

function newOrder() {
  return { amount: 1999, currency: 'usd', orderId: newOrderId() } as const
}

describe.each(Object.entries(targets))('%s', (_, optionsOf) => {
  test('returns the whole intent, and replays it for the same key and body', async () => {
    const intents = new PaymentIntents(optionsOf())
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
  })

  test('rejects a key with another body, an unknown intent, and another key', async () => {
    const intents = new PaymentIntents(optionsOf())
    const idempotencyKey = newOrderId()
    await intents.create(newOrder(), { idempotencyKey })
    const reused = intents.create(newOrder(), { idempotencyKey })
    await expect(reused).rejects.toMatchObject({ code: 'idempotency_key_reused', status: 422 })
    const unknown = intents.retrieve('pi_unknown')
    await expect(unknown).rejects.toMatchObject({ code: 'payment_intent_not_found', status: 404 })
    const other = new PaymentIntents({ ...optionsOf(), apiKey: 'another-api-key' })
    await expect(other.check()).rejects.toMatchObject({ code: 'invalid_credentials', status: 401 })
  })
})

test.each([...requestFaults, ...statusFaults])(
  'the fault %s does the same in the fake and in the real service',
  async (fault) => {
    const faulty = fakeService()
    const status = statusFaults.find((each) => each === fault)
    // The method is the fault in camel case.
    const name = fault.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
    if (status) faulty.status(Number(status))
    else faulty[name as 'stallBody']()
    let sent = 0
    const withFault: typeof fetch = (address, init) => {
      const headers = new Headers(init?.headers)
      if (sent++ === 0) headers.set('sandbox-fault', fault)
      return fetch(address, { ...init, headers })
    }
    const real = { ...targets['the real service'](), fetch: withFault }
    expect(await effectOf(real)).toEqual(await effectOf(faulty.options))
  },
)

/** Creates an intent twice, the first time with a fault. */
async function effectOf(options: ConstructorParameters<typeof PaymentIntents>[0]) {
  const intents = new PaymentIntents({ ...options, maxRetries: 0, timeout: 1_000 })
  const order = newOrder()
  const failure = await intents.create(order).then(
    () => undefined,
    (error: unknown) => error,
  )
  const { code, status, outcome } = PiError.is(failure) ? failure : {}
  const { replayed } = await intents.create(order)
  return { code, status, outcome, replayed }
}
