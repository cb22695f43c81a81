import { seed } from '@pi-checkout/test-support/generated'
import { seededRandom } from '@pi-checkout/test-support/seeded-random'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memoryPayments, PaymentIntents } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { fakeTimers, orderId, type Shop, type ShopOptions, shop, withRetrieves } from './shop.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Adds orders with these names and numbers, and hands out their intents. */
async function openOrders({ add, intent }: Shop, name: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let number = 0; number < count; number++) {
    add(`${name}-${number}`)
    ids.push(await intent(`${name}-${number}`))
  }
  return ids
}

/** Lets time pass with a look after each interval, also if it fails. */
async function pass({ later }: Pick<Shop, 'later'>, count: number, interval: number) {
  for (let passed = 0; passed < count; passed++) await later(interval).catch(() => {})
}

const headers = { 'payment-intents-profile': 'pi-checkout' }
const gone = () => Response.json({ code: 'payment_intent_not_found' }, { status: 404, headers })
const failed = () => Response.json({}, { status: 500, headers })

test(`a closed tab is known after an eighth of the time since the last handoff (PI_SEED=${seed})`, async () => {
  const random = seededRandom(seed)
  for (let number = 0; number < 20; number++) {
    const { intent, service, later, paid, checkAt } = shop()
    /** Passes the minutes in which a run finds nothing to do, and the first one in which it does. */
    const passUntil = async (time: number): Promise<void> => {
      const due = Number(await checkAt())
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

test.each<[failing: string, count: number, runs: number, message?: RegExp]>([
  ['retrieve, with 404,', 120, 1],
  // Five such failures in a row end a run.
  ['retrieve, with 500,', 20, 5],
  ['order', 120, 1, /^ShopError: order: the hook failed for order "bad-\d+": broken/],
  ['load', 120, 1, /^ShopError: payments\.load failed for order "bad-\d+": broken/],
])(
  'a paid order is found although %s fails for %i orders before it',
  async (failing, count, runs, message) => {
    let isBroken = false
    const isBad = (call: string, id: string): boolean =>
      isBroken && call === failing && id.startsWith('bad')
    const fail = (call: string, id: string): void => {
      if (isBad(call, id)) throw new Error('broken')
    }
    const store = memoryPayments()
    const all: Shop = shop({
      service: withRetrieves(({ orderId: id }, usual) => {
        if (isBad('retrieve, with 404,', id)) return gone()
        return isBad('retrieve, with 500,', id) ? failed() : usual()
      }),
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
    await openOrders(all, 'bad', count)
    const id = await all.intent()
    isBroken = true
    all.service.settle(id, 'succeeded')
    await pass(all, runs, minute)
    expect(all.paid).toEqual([id])
    if (message) expect(String(all.errors[0])).toMatch(message)
  },
)

test('a hook that throws for a day stops no other order, and runs again within an hour', async () => {
  const settled = new Set<string>()
  let isDown = true
  const all = shop({
    onPaid: ({ orderId }) => {
      if (isDown && orderId.startsWith('bad')) throw new Error('database down')
      settled.add(orderId)
      return true
    },
  })
  const ids = [...(await openOrders(all, 'bad', 4)), ...(await openOrders(all, 'good', 8))]
  for (const id of ids) all.service.settle(id, 'succeeded')
  await all.later()
  expect([settled.size, all.errors.length]).toEqual([8, 4])
  await pass(all, 24, hour)
  isDown = false
  await all.later(hour)
  expect(settled.size).toBe(12)
})

test('a payment under review is reported while a page asks for its status', async () => {
  const { checkout, edit, intent, phase, service, reviews } = shop()
  const id = await intent()
  edit(200)
  service.settle(id, 'succeeded')
  for (let passed = 0; passed < 60; passed++) {
    vi.setSystemTime(Date.now() + minute)
    await phase()
    await checkout.reconcile()
  }
  expect(reviews).toEqual([`${id} earlier_version`])
})

test('an order of which an intent is gone is looked at less and less often', async () => {
  let goneId = ''
  const service = withRetrieves(({ id }, usual) => (id === goneId ? gone() : usual()))
  const order = shop({ service })
  goneId = await order.intent()
  order.edit(200)
  await order.intent()
  const before = service.requests.length
  await pass(order, 600, minute)
  expect(service.requests.length - before).toBeLessThan(150)
})

test('a row that cannot be read hides no other order', async () => {
  const store = memoryPayments()
  const isBad = (id: string): boolean => id === 'A-0'
  const load: typeof store.load = async (scope, id) => {
    const text = await store.load(scope, id)
    return isBad(id) && isLater ? text?.slice(0, 60) : text
  }
  let isLater = false
  const opened = shop({ payments: { ...store, load } })
  const ids = await openOrders(opened, 'A', 2)
  for (const id of ids) opened.service.settle(id, 'succeeded')
  isLater = true
  expect(await opened.later()).toMatchObject({ orders: 2, errors: 1 })
  expect(opened.paid).toEqual([ids[1]])
})

test('overlapping runs are one', async () => {
  const { checkout, intent, later, service } = shop()
  await intent()
  const before = service.requests.length
  const run = later()
  for (let count = 0; count < 30; count++) expect(checkout.reconcile()).toBe(run)
  await run
  expect(service.requests).toHaveLength(before + 1)
})

test.each([
  ['cannot be reached', (service: FakeService) => service.dropBeforeCommit(), undefined],
  ['asks to wait', (service: FakeService) => service.status(429), 429],
  ['rejects the key', (service: FakeService) => service.status(401), 401],
])('a run ends when the service %s', async (_, fail, status) => {
  const all = shop()
  const { service } = all
  await openOrders(all, 'A', 40)
  const before = service.requests.length
  for (let count = 0; count < 40; count++) fail(service)
  await expect(all.later()).rejects.toMatchObject({ status, retryable: status !== 401 })
  expect(service.requests.length - before).toBeLessThan(10)
})

test('an order whose intents a key cannot see stays due for its own merchant', async () => {
  const payments = memoryPayments()
  // Two merchants of another service by mistake have one namespace.
  const shopOf = (service: FakeService): Shop => {
    const intents = new PaymentIntents({ ...service.options, maxRetries: 0 })
    return shop({ payments, service, intents: Object.assign(intents, { scope: () => 'acme' }) })
  }
  const [first, second] = [shopOf(fakeService()), shopOf(fakeService())]
  const id = await second.intent()
  second.service.settle(id, 'succeeded')
  await first.later()
  await second.checkout.reconcile()
  expect([first.paid, second.paid]).toEqual([[], [id]])
})

test('after 90 days an open order is looked at less and less often, until it is handed out again', async () => {
  const old = shop()
  const id = await old.intent()
  const looksIn = async (days: number): Promise<number> => {
    const before = old.service.requests.length
    await pass(old, days, day)
    return old.service.requests.length - before
  }
  expect([await looksIn(90), await looksIn(365), await looksIn(365)]).toEqual([90, 13, 5])
  expect(await old.intent()).toBe(id)
  old.service.settle(id, 'succeeded')
  await old.later()
  expect(old.paid).toEqual([id])
})

test('a payment that is processing is waited for, and a final one costs nothing', async () => {
  const order = shop()
  const id = await order.intent()
  order.service.settle(id, 'processing')
  await pass(order, 120, day)
  order.service.settle(id, 'succeeded')
  await order.later(day)
  expect(order.paid).toEqual([id])
  const before = order.service.requests.length
  await pass(order, 10, day)
  expect(order.service.requests).toHaveLength(before)
})

test('start() settles what is open, repeats it, and stops', async () => {
  fakeTimers()
  const { checkout, intent, service, paid } = shop()
  service.settle(await intent(), 'processing')
  const stop = await checkout.start()
  service.settle(orderId, 'succeeded')
  await vi.advanceTimersByTimeAsync(2 * minute)
  expect(paid).toHaveLength(1)
  await stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('start() writes nothing, and rejects a wrong interval', async () => {
  const payments = memoryPayments()
  const save = vi.spyOn(payments, 'save')
  const { checkout } = shop({ payments })
  await (await checkout.start())()
  expect(save).not.toHaveBeenCalled()
  await expect(checkout.start({ interval: 0 })).rejects.toThrow(/^interval: must be a number/)
})

test.each<
  [string, (options: Required<Pick<ShopOptions, 'service' | 'payments'>>) => unknown, object]
>([
  ['a service that is down', ({ service }) => service.refuseConnection(), { retryable: true }],
  ['a rejected key', ({ service }) => service.status(401), { status: 401, retryable: false }],
  [
    'a store that fails',
    ({ payments }) => vi.spyOn(payments, 'due').mockRejectedValue(new Error('no such table')),
    {
      code: 'shop_failed',
      message: expect.stringContaining('no such table'),
      retryable: true,
    },
  ],
])('start() finds %s', async (_, fail, expected) => {
  const options = { service: fakeService(), payments: memoryPayments() }
  fail(options)
  await expect(shop(options).checkout.start()).rejects.toMatchObject(expected)
})

test('a store that once does not return does not end the runs of start()', async () => {
  fakeTimers()
  const payments = memoryPayments()
  const { checkout, intent, service, paid } = shop({ payments })
  service.settle(await intent(), 'succeeded')
  await checkout.start()
  vi.spyOn(payments, 'due').mockReturnValueOnce(new Promise(() => {}))
  await vi.advanceTimersByTimeAsync(60 * minute)
  expect(paid).toHaveLength(1)
})

test.each([
  ['nothing', 1, async () => {}],
  ['start()', 0, async ({ checkout }: Shop) => void (await (await checkout.start())())],
  ['reconcile()', 0, async ({ checkout }: Shop) => void (await checkout.reconcile())],
  // Another instance, or a scheduler, looks at its orders.
  ['nothing while another process calls reconcile()', 0, async () => {}],
])('a shop in production that calls %s gets %i warnings', async (calls, warnings, call) => {
  vi.stubEnv('NODE_ENV', 'production')
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  onTestFinished(() => {
    vi.unstubAllEnvs()
    warn.mockRestore()
  })
  const options = { service: fakeService(), payments: memoryPayments() }
  const [serving, scheduled] = [shop(options), shop(options)]
  await call(serving)
  warn.mockClear()
  for (let passed = 0; passed < 20; passed++) {
    await openOrders(serving, `order-${passed}`, 1)
    if (calls.includes('another')) await scheduled.later(0)
    vi.setSystemTime(Date.now() + minute)
  }
  expect(warn).toHaveBeenCalledTimes(warnings)
})
