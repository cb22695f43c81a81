import { seed } from '@pi-checkout/test-support/generated'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memoryPayments, PaymentIntents } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { fakeTimers, orderId, type Shop, shop } from './shop.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Adds orders and hands out their intents. */
async function openOrders({ rows, handoff }: Shop, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    rows.set(id, { orderId: id, amount: 100, currency: 'AMD' })
    expect((await handoff({ orderId: id })).status).toBe(200)
  }
}

const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`)

/** A service that answers a retrieve of some intents otherwise. */
function failingService(answer: (orderId: string) => Response | undefined): FakeService {
  const service = fakeService()
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { method, url } = new Request(input, init)
    const intent = service.intents.find(({ id }) => url.endsWith(`/${id}`))
    const failed = method === 'GET' && intent && answer(intent.orderId)
    return failed || service.fetch(input, init)
  }
  return { ...service, options: { ...service.options, fetch } }
}

const profile = { 'payment-intents-profile': 'pi-checkout' }
const gone = () =>
  Response.json({ code: 'payment_intent_not_found' }, { status: 404, headers: profile })

test(`a closed tab is known after an eighth of the time since the last handoff (PI_SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  for (let number = 0; number < 40; number++) {
    const { intent, service, later, paid, record } = shop()
    /** Passes the minutes in which a run finds nothing to do, and the first one in which it does. */
    const passUntil = async (time: number): Promise<void> => {
      const due = Number((await record())?.checkAt)
      const until = Math.min(Math.max(due, Date.now() + 1), time)
      await later(Math.ceil((until - Date.now()) / minute) * minute)
    }
    const id = await intent()
    // An old order may be handed out again.
    const handedAgain = Date.now() + Math.floor(random() * 30) * day
    if (random() < 0.3) {
      while (Date.now() < handedAgain) await passUntil(handedAgain)
      expect(await intent()).toBe(id)
    }
    const handedAt = Date.now()
    const paidAt = handedAt + 10 ** (random() * 4.9) * minute
    while (Date.now() < paidAt) await passUntil(paidAt)
    service.settle(id, 'succeeded')
    const known = Date.now() + Math.min((Date.now() - handedAt) / 8, day) + 2 * minute
    while (paid.length === 0 && Date.now() < known) await passUntil(known)
    expect([paid, Date.now() <= known]).toEqual([[id], true])
  }
}, 60_000)

test('a paid order is found behind 120 orders whose intents are gone', async () => {
  const service = failingService((id) => (id.startsWith('gone') ? gone() : undefined))
  const all = shop({ service })
  await openOrders(all, [...numbered('gone', 120), orderId])
  const id = service.settle(orderId, 'succeeded').id
  await all.later(2 * minute)
  expect(all.paid).toEqual([id])
})

test.each([
  ['order', /^Error: order: the hook failed for order "bad-\d+": broken/],
  ['load', /^Error: payments\.load failed for order "bad-\d+": broken/],
] as const)('a paid order is found behind 120 orders for which %s fails', async (name, message) => {
  const store = memoryPayments()
  let isBroken = false
  const fail = (called: string, id: string): void => {
    if (isBroken && called === name && id.startsWith('bad')) throw new Error('broken')
  }
  const all: Shop = shop({
    order: (id) => {
      fail('order', id)
      return all.rows.get(id)
    },
    payments: {
      ...store,
      load: (scope, id) => {
        fail('load', id)
        return store.load(scope, id)
      },
    },
  })
  await openOrders(all, [...numbered('bad', 120), orderId])
  isBroken = true
  const { id } = all.service.settle(orderId, 'succeeded')
  await all.later()
  expect(all.paid).toEqual([id])
  expect(String(all.errors[0])).toMatch(message)
})

test('orders that the service cannot return have no turn before others', async () => {
  const failed = () => new Response('', { status: 500, headers: profile })
  const service = failingService((id) => (id.startsWith('bad') ? failed() : undefined))
  const all = shop({ service })
  await openOrders(all, [...numbered('bad', 20), orderId])
  const { id } = service.settle(orderId, 'succeeded')
  for (let passed = 0; passed < 5; passed++) await all.later().catch(() => {})
  expect(all.paid).toEqual([id])
})

test('an order whose intents a key cannot see stays due for its own merchant', async () => {
  const payments = memoryPayments()
  const [own, other] = [fakeService(), fakeService()]
  // Two merchants of another service by mistake have one namespace.
  const scope = { scope: () => 'acme' }
  const shopOf = (service: FakeService): Shop => {
    const intents = new PaymentIntents({ ...service.options, maxRetries: 0 })
    return shop({ service, payments, intents: Object.assign(intents, scope) })
  }
  const [first, second] = [shopOf(other), shopOf(own)]
  const id = await second.intent()
  own.settle(id, 'succeeded')
  await first.later()
  await second.checkout.reconcile()
  expect([first.paid, second.paid]).toEqual([[], [id]])
})

test('each of five merchants with one store and equal order ids has its own payments', async () => {
  const payments = memoryPayments()
  const shops = Array.from({ length: 5 }, () => shop({ payments }))
  const ids: string[] = []
  for (const { intent } of shops) ids.push(await intent())
  for (const { later, service } of shops) {
    service.settle(orderId, 'succeeded')
    await later(0)
  }
  expect(await Promise.all(shops.map(({ phase }) => phase()))).toEqual(Array(5).fill('paid'))
  vi.setSystemTime(Date.now() + minute)
  for (const { checkout } of shops) await checkout.reconcile()
  expect(shops.map(({ paid }) => paid)).toEqual(ids.map((id) => [id]))
})

/** Lets days pass with a look at each end. */
async function passDays({ later }: Shop, days: number): Promise<void> {
  for (let passed = 0; passed < days; passed++) await later(day)
}

test('an order is left alone 90 days after its last handoff, until it is handed out again', async () => {
  const old = shop()
  const id = await old.intent()
  await passDays(old, 89)
  expect((await old.record())?.checkAt).not.toBeNull()
  await passDays(old, 4)
  expect((await old.record())?.checkAt).toBeNull()
  expect(await old.intent()).toBe(id)
  old.service.settle(id, 'succeeded')
  await old.later()
  expect(old.paid).toEqual([id])
})

test.each([
  ['the key is rejected', () => Response.json({}, { status: 401, headers: profile })],
  ['the service has no such intent', gone],
  ['the service fails', () => new Response('', { status: 503, headers: profile })],
])('an order is not left alone while %s', async (_, answer) => {
  let isFailing = false
  const service = failingService(() => (isFailing ? answer() : undefined))
  const old = shop({ service })
  const id = await old.intent()
  isFailing = true
  for (let passed = 0; passed < 120; passed++) await old.later(day).catch(() => {})
  isFailing = false
  service.settle(id, 'succeeded')
  await old.later(day)
  expect(old.paid).toEqual([id])
})

test('a clock that jumps for a moment leaves no order alone', async () => {
  const old = shop()
  const id = await old.intent()
  for (let jump = 0; jump < 3; jump++) await old.later(91 * day)
  vi.setSystemTime(Date.now() - 3 * 91 * day)
  old.service.settle(id, 'succeeded')
  expect(await old.phase()).toBe('paid')
  expect((await old.record())?.payments[0]?.watchUntil).toBeUndefined()
})

test('an order whose payments are final costs nothing', async () => {
  const { intent, service, phase, later } = shop()
  service.settle(await intent(), 'succeeded')
  await phase()
  const before = service.requests.length
  for (let passed = 0; passed < 10; passed++) await later(day)
  expect(service.requests).toHaveLength(before)
})

test('start() finds a store that fails, and writes nothing', async () => {
  const store = memoryPayments()
  let saves = 0
  const working = shop({ payments: { ...store, save: () => Boolean(++saves) } })
  await (await working.checkout.start())()
  expect(saves).toBe(0)
  const due = () => Promise.reject(new Error('no such table: checkout_payments'))
  const { checkout } = shop({ payments: { ...store, due } })
  await expect(checkout.start()).rejects.toThrow(/no such table/)
})

test('start() rejects with a retryable error while the service is down', async () => {
  const { checkout, service } = shop()
  service.refuseConnection()
  await expect(checkout.start()).rejects.toMatchObject({ retryable: true })
})

test('start() waits longer while the store fails', async () => {
  fakeTimers()
  let isDown = false
  const store = memoryPayments()
  const due: typeof store.due = (...args) => {
    if (isDown) throw new Error('database down')
    return store.due(...args)
  }
  const { checkout, errors } = shop({ payments: { ...store, due } })
  const stop = await checkout.start()
  isDown = true
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(errors.length).toBeGreaterThan(5)
  expect(errors.length).toBeLessThan(20)
  await stop()
})

test.each([
  ['nothing', 1, async () => {}],
  ['start()', 0, async ({ checkout }: Shop) => void (await (await checkout.start())())],
  ['reconcile()', 0, async ({ checkout }: Shop) => void (await checkout.reconcile())],
])('a shop in production that calls %s gets %i warnings', async (_, warnings, call) => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const open = shop()
  await call(open)
  warn.mockClear()
  for (let passed = 0; passed < 6; passed++) {
    await openOrders(open, [`order-${passed}`])
    vi.setSystemTime(Date.now() + 3 * minute)
  }
  expect(warn).toHaveBeenCalledTimes(warnings)
})

test('a shop whose orders another process looks at gets no warning', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => void vi.unstubAllEnvs())
  const payments = memoryPayments()
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => warn.mockRestore())
  const service = fakeService()
  const [serving, scheduled] = [shop({ service, payments }), shop({ service, payments })]
  warn.mockClear()
  for (let passed = 0; passed < 10; passed++) {
    await openOrders(serving, [`order-${passed}`])
    await scheduled.later()
  }
  expect(warn).not.toHaveBeenCalled()
})
