import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { memoryPayments } from '../../src/index.ts'
import { fakeService } from '../../src/testing/fake-service.ts'
import { foreignService } from '../foreign-service.ts'
import { orderId, shop, withRetrieves } from './shop.ts'

const day = 86_400_000

/** An order that was edited: `first` was created for the old version, `second` for the new one. */
async function editedOrder() {
  const edited = shop()
  const first = await edited.intent()
  edited.edit(200)
  const second = await edited.intent()
  expect(second).not.toBe(first)
  return { ...edited, first, second }
}

test.each(['requires_payment_method', 'failed'] as const)(
  'an old version that is paid while the new one is %s blocks the order until it is refunded',
  async (status) => {
    const { edit, first, second, service, paid, reviews, phase, intent, later, resolve } =
      await editedOrder()
    service.settle(second, status)
    await phase()
    service.settle(first, 'succeeded')
    expect([await phase(), await intent()]).toEqual(['review', 'payment_under_review'])
    await later()
    await resolve(first, 'refunded')
    expect((await intent()) === second).toBe(status !== 'failed')
    edit(100)
    // It does not pay when its version returns.
    expect(await phase()).toBe('failed')
    expect(await intent()).not.toBe(first)
    expect([paid, reviews]).toEqual([[], [`${first} earlier_version`]])
  },
)

test('a payment of an order that has lost its currency goes to review', async () => {
  const { errors, intent, later, phase, reviews, rows, service } = shop()
  const first = await intent()
  // A row of a database can have null where the types have none.
  rows.set(orderId, { orderId, amount: 100, currency: null as never })
  expect(await intent()).toBe('internal_error')
  expect(String(errors)).toContain('currency must be')
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('review')
  await later()
  expect(reviews).toEqual([`${first} earlier_version`])
})

test('two tabs get one intent, also while the customer of the order changes', async () => {
  const service = fakeService()
  let other: Promise<string> | undefined
  const createTwice: typeof fetch = async (input, init) => {
    const response = await service.options.fetch(input, init)
    // While the first tab creates its intent, the second one begins and ends.
    other ??= intent()
    if (service.requests.length === 1) await other
    return response
  }
  let changes = 0
  const { intent } = shop({
    service: { ...service, options: { ...service.options, fetch: createTwice } },
    order: () => ({ orderId, amount: 100, currency: 'AMD', customer: { id: `c-${++changes}` } }),
  })
  const first = await intent()
  expect(first).toMatch(/^pi_/)
  expect(await other).toBe(first)
})

test('30 requests of an order at the same time get one intent', async () => {
  const store = memoryPayments()
  const save: typeof store.save = async (record) => {
    await sleep(1)
    return store.save(record)
  }
  const { intent } = shop({ payments: { ...store, save } })
  const id = await intent()
  const ids = await Promise.all(Array.from({ length: 30 }, () => intent()))
  expect(new Set(ids)).toEqual(new Set([id]))
})

test.each([
  ['undefined', undefined, 'internal_error'],
  ['0', 0, 'internal_error'],
  ['null', null, 'internal_error'],
  ['true, and stores nothing,', true, 'payment_unavailable'],
])('a store whose save returns %s hands out nothing', async (_, result, code) => {
  const { intent, errors } = shop({
    payments: { ...memoryPayments(), save: () => result as never },
  })
  expect(await intent()).toBe(code)
  const rule = /^TypeError: payments\.save: must return true or false|its payments are not stored/
  expect(String(errors[0])).toMatch(rule)
})

test('a 404 of another server does not unblock an order', async () => {
  const { edit, intent, phase, service } = shop()
  service.settle(await intent(), 'processing')
  expect(await phase()).toBe('processing')
  edit(200)
  service.status(404, { code: 'not_found' })
  expect(await intent()).toBe('payment_unavailable')
  expect(service.intents).toHaveLength(1)
})

test('an open intent that the service does not have does not block the order', async () => {
  const { intent, checkAt, service } = shop()
  await intent()
  service.status(404, { code: 'payment_intent_not_found' })
  expect(await intent()).toMatch(/^pi_/)
  expect(await checkAt()).not.toBeNull()
})

test.each([
  ['amount', { amount: 1 }],
  ['currency', { currency: 'USD' }],
  ['order', { orderId: 'B-2' }],
])('an intent with another %s pays for nothing, and may fail', async (_, change) => {
  const changed = withRetrieves(async (_intent, usual) =>
    Response.json({ ...((await (await usual()).json()) as object), ...change }, await usual()),
  )
  const { intent, phase, service, paid, reviews, later } = shop({ service: changed })
  const first = await intent()
  expect(await phase()).toBe('unknown')
  service.settle(first, 'failed')
  expect(await phase()).toBe('failed')
  const second = await intent()
  expect(second).not.toBe(first)
  service.settle(second, 'succeeded')
  expect(await phase()).toBe('review')
  await later()
  expect([paid, reviews]).toEqual([[], [`${second} mismatch`]])
})

/** An order with a payment for each amount up to `count`. */
async function orderWithPayments(count: number) {
  const payments = memoryPayments()
  const load = vi.spyOn(payments, 'load')
  const save = vi.spyOn(payments, 'save')
  const order = shop({ payments })
  for (let amount = 1; amount <= count; amount++) {
    order.edit(amount)
    await order.intent()
  }
  const settleAll = (status: 'expired' | 'succeeded'): void => {
    for (const { id } of order.service.intents) order.service.settle(id, status)
  }
  return { ...order, settleAll, load, save }
}

test('20 expired payments of an order cost at most 4 loads and 2 saves', async () => {
  const { settleAll, load, save, phase } = await orderWithPayments(20)
  settleAll('expired')
  load.mockClear()
  save.mockClear()
  expect(await phase()).toBe('failed')
  expect(load.mock.calls.length).toBeLessThanOrEqual(4)
  expect(save.mock.calls.length).toBeLessThanOrEqual(2)
})

test('one of 12 payments that end together pays, and the others go to review', async () => {
  const { settleAll, phase, paid, reviews, errors, later } = await orderWithPayments(12)
  settleAll('succeeded')
  expect(await Promise.all([phase(), phase(), phase()])).toContain('paid')
  await later()
  expect([paid.length, reviews.length, errors]).toEqual([1, 11, []])
})

test('an order with 100 open payments gets only the intents of earlier versions', async () => {
  const { edit, intent, phase, service, paid } = await orderWithPayments(100)
  edit(101)
  expect(await intent()).toBe('payment_unavailable')
  edit(50)
  const id = await intent()
  expect(id).toBe(service.intents[49]?.id)
  service.settle(id, 'succeeded')
  expect([await phase(), paid]).toEqual(['paid', [id]])
})

test('of two payments under review one is accepted, and the order is paid', async () => {
  const { edit, first, second, service, paid, phase, later, resolve } = await editedOrder()
  edit(300)
  for (const id of [first, second]) service.settle(id, 'succeeded')
  expect(await phase()).toBe('review')
  const decisions = [first, second].map((id) => resolve(id, 'accepted'))
  const results = await Promise.allSettled(decisions)
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([await phase(), paid.length]).toEqual(['paid', 1])
  const [one = ''] = paid
  const other = one === first ? second : first
  await expect(resolve(one, 'accepted')).rejects.toThrow(
    /^intentId: order "A-1001" has no such payment under review/,
  )
  await expect(resolve(other, 'accepted')).rejects.toThrow(
    /is already paid by intent pi_\w+\. Refund one/,
  )
  await resolve(other, 'refunded')
  await later()
  expect((await later()).orders).toBe(0)
})

test('a payment whose onPaid always fails can be refunded, but not while it runs', async () => {
  const refusals: unknown[] = []
  const order = shop({
    onPaid: async ({ payment }) => {
      if (refusals.length > 0) return true
      await order.resolve(payment.intentId, 'refunded').catch((error) => refusals.push(error))
      throw new Error('broken')
    },
  })
  const { intent, service, phase, resolve } = order
  const first = await intent()
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('processing')
  expect(String(refusals)).toMatch(/is running onPaid for it\. Try again in a minute/)
  await resolve(first, 'refunded')
  const second = await intent()
  expect(second).not.toBe(first)
  service.settle(second, 'succeeded')
  expect(await phase()).toBe('paid')
})

test('an order can be paid after the service has forgotten a key', async () => {
  const service = fakeService()
  let forgotten = 0
  const forgetful: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    const key = request.headers.get('idempotency-key')
    if (key) request.headers.set('idempotency-key', `${key}-${forgotten}`)
    return service.options.fetch(request)
  }
  const options = { ...service.options, fetch: forgetful }
  const { intent, phase } = shop({ service: { ...service, options } })
  const first = await intent()
  forgotten++
  const second = await intent()
  expect(second).not.toBe(first)
  service.settle(second, 'failed')
  const third = await intent()
  expect([first, second]).not.toContain(third)
  expect(third).toMatch(/^pi_/)
  expect(await phase()).toBe('open')
})

test.each([
  ['our service', fakeService],
  ['another service', foreignService],
] as const)('%s pays for an order, fails it, and pays twice', async (_, newService) => {
  const order = shop({ service: newService() })
  const { edit, intent, phase, service, paid, reviews, later } = order
  const failed = await intent()
  service.settle(failed, 'canceled')
  expect(await phase()).toBe('failed')
  const first = await intent()
  edit(200)
  const second = await intent()
  expect(new Set([failed, first, second]).size).toBe(3)
  service.settle(second, 'processing')
  expect([await phase(), await intent()]).toEqual(['processing', 'payment_in_progress'])
  for (const id of [first, second]) service.settle(id, 'succeeded')
  expect([await phase(), await intent()]).toEqual(['paid', 'order_already_paid'])
  await later()
  expect([paid, reviews]).toEqual([[second], [`${first} earlier_version`]])
  expect(await phase()).toBe('paid')
})

test.each([
  ['open', 'requires_payment_method', (first: string) => [[first], []]],
  ['paid', 'succeeded', (first: string, next: string) => [[next], [`${first} duplicate`]]],
] as const)(
  'a failed payment of another service that is paid after all is found while the next one is %s',
  async (_, status, expected) => {
    const { intent, phase, service, paid, reviews, later } = shop({ service: foreignService() })
    const first = await intent()
    service.settle(first, 'failed')
    expect(await phase()).toBe('failed')
    const next = await intent()
    service.settle(next, status)
    await later(2 * day)
    service.settle(first, 'succeeded')
    for (let passed = 0; passed < 4; passed++) await later(day)
    expect([paid, reviews]).toEqual(expected(first, next))
  },
)

test('a failed payment that another service no longer has does not block the order', async () => {
  const { intent, phase, service } = shop({ service: foreignService() })
  service.settle(await intent(), 'failed')
  expect(await phase()).toBe('failed')
  service.status(404, { code: 'payment_intent_not_found' })
  expect(await intent()).toMatch(/^pi_/)
})

test('a payment that is accepted stays under review if onPaid returns false', async () => {
  const { checkout, intent, later, service, phase } = shop({ onPaid: () => false })
  const intentId = await intent()
  service.settle(intentId, 'succeeded')
  await later()
  const accepted = checkout.resolve({ orderId, intentId }, 'accepted')
  await expect(accepted).rejects.toThrow(/onPaid returned false\. It stays under review/)
  expect(await phase()).toBe('review')
})
