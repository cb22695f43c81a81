import { expect, test, vi } from 'vitest'
import { memoryPayments, type PaymentStore } from '../../src/index.ts'
import { type FakeService, fakeService } from '../../src/testing/fake-service.ts'
import { describedServices, foreignService } from '../foreign-services.ts'
import { fakeTimers, movableClock, orderId, type Row, type Shop, shop } from './shop.ts'

const minute = 60_000
const day = 24 * 60 * minute

/** An order that was edited: `first` was created for the old version, `second` for the new one. */
async function editedOrder() {
  const edited = shop()
  const first = await edited.intent()
  edit(edited.rows, 200)
  const second = await edited.intent()
  expect(second).not.toBe(first)
  return { ...edited, first, second }
}

function edit(rows: Map<string, Row>, amount: number): void {
  rows.set(orderId, { orderId, amount, currency: 'AMD' })
}

test('an old version that is paid after the order goes to review', async () => {
  const { first, second, service, paid, reviews, phase, later } = await editedOrder()
  service.settle(second, 'succeeded')
  expect(await phase()).toBe('paid')
  service.settle(first, 'succeeded')
  await later()
  expect([paid, reviews]).toEqual([[second], [`${first} duplicate`]])
  expect(await phase()).toBe('paid')
})

test('an old version that is paid first blocks the order until it is decided', async () => {
  const { checkout, first, second, service, paid, reviews, phase, intent, later } =
    await editedOrder()
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('review')
  expect(await intent()).toBe('payment_under_review')
  await later()
  expect([paid, reviews]).toEqual([[], [`${first} earlier_version`]])
  await checkout.resolve({ orderId, intentId: first }, 'refunded')
  expect(await intent()).toBe(second)
})

test('an old version that is paid after the new one failed goes to review', async () => {
  const { first, second, service, reviews, phase, later } = await editedOrder()
  service.settle(second, 'failed')
  expect(await phase()).toBe('failed')
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('review')
  await later()
  expect(reviews).toEqual([`${first} earlier_version`])
})

test('an order that returns to an earlier version has one payable intent for it', async () => {
  const { rows, service, intent } = shop()
  await intent()
  edit(rows, 1500)
  const open = await intent()
  edit(rows, 100)
  const again = await intent()
  service.settle(again, 'failed')
  await intent()
  edit(rows, 1500)
  expect(await intent()).toBe(open)
})

test.each([
  ['undefined', undefined],
  ['0', 0],
  ['null', null],
])('a store whose save returns %s hands out nothing', async (_, result) => {
  const store: PaymentStore = { ...memoryPayments(), save: () => result as never }
  const { intent, errors } = shop({ payments: store })
  expect(await intent()).toBe('internal_error')
  expect(String(errors[0])).toMatch(/^TypeError: payments\.save: must return true or false/)
})

test('a store that acknowledges a write and loses it hands out nothing', async () => {
  const { intent } = shop({ payments: { ...memoryPayments(), save: () => true } })
  expect(await intent()).toBe('payment_unavailable')
})

test('a 404 of another server does not unblock an order', async () => {
  const service = fakeService()
  const { intent, rows, phase } = shop({ service })
  const first = await intent()
  service.settle(first, 'processing')
  expect(await phase()).toBe('processing')
  edit(rows, 200)
  service.status(404, { code: 'not_found' })
  expect(await intent()).toBe('payment_unavailable')
  expect(service.intents).toHaveLength(1)
})

test('an open intent that the service does not have does not block the order', async () => {
  const service = fakeService()
  const { intent, record } = shop({ service })
  await intent()
  service.status(404, { code: 'payment_intent_not_found' })
  expect(await intent()).toMatch(/^pi_/)
  expect((await record())?.checkAt).not.toBeNull()
})

test('a refunded payment does not pay when its version returns', async () => {
  const { checkout, first, rows, service, paid, intent, phase } = await editedOrder()
  service.settle(first, 'succeeded')
  await phase()
  await checkout.resolve({ orderId, intentId: first }, 'refunded')
  edit(rows, 100)
  expect(await phase()).toBe('failed')
  expect(await intent()).not.toBe(first)
  expect(paid).toEqual([])
})

test('an accepted payment becomes the order’s, and a second decision is rejected', async () => {
  const { checkout, first, rows, service, paid, phase } = await editedOrder()
  service.settle(first, 'succeeded')
  await phase()
  expect(rows.get(orderId)?.amount).toBe(200)
  const payment = { orderId, intentId: first }
  await checkout.resolve(payment, 'accepted')
  expect([await phase(), paid]).toEqual(['paid', [first]])
  await expect(checkout.resolve(payment, 'accepted')).rejects.toThrow(
    /^intentId: order "A-1001" has no such payment under review/,
  )
})

test.each([
  ['paid', 'succeeded', 'order_already_paid'],
  ['canceled', 'canceled', /^pi_/],
  ['failed', 'expired', /^pi_/],
] as const)(
  'a buyer who returns days after the intent was %s is served',
  async (_, status, next) => {
    const { move } = movableClock()
    const { intent, service } = shop()
    const first = await intent()
    service.settle(first, status)
    move(8 * day)
    const second = await intent()
    expect(second).toMatch(next)
    expect(second).not.toBe(first)
  },
)

test('a payment whose verdict takes eight days is settled by reconcile', async () => {
  const { move } = movableClock()
  const { checkout, intent, service, paid } = shop()
  const first = await intent()
  service.settle(first, 'processing')
  for (let passed = 0; passed < 8; passed++) {
    move(day)
    await checkout.reconcile()
  }
  service.settle(first, 'succeeded')
  move(day)
  await checkout.reconcile()
  expect(paid).toEqual([first])
})

test('a hook that throws for a day stops no other order, and runs again within an hour', async () => {
  const { move } = movableClock()
  const settled = new Set<string>()
  let isDown = true
  const { checkout, handoff, rows, service, errors } = shop({
    onPaid: ({ orderId }) => {
      if (isDown && orderId.startsWith('bad')) throw new Error('database down')
      settled.add(orderId)
      return true
    },
  })
  const ids = Array.from(
    { length: 12 },
    (_, index) => `${index % 3 === 0 ? 'bad' : 'good'}-${index}`,
  )
  for (const id of ids) {
    rows.set(id, { orderId: id, amount: 100, currency: 'AMD' })
    expect((await handoff({ orderId: id })).status).toBe(200)
    service.settle(id, 'succeeded')
  }
  move(minute)
  await checkout.reconcile()
  expect([settled.size, errors.length]).toEqual([8, 4])
  for (let hour = 0; hour < 24; hour++) {
    move(60 * minute)
    await checkout.reconcile()
  }
  isDown = false
  move(60 * minute)
  await checkout.reconcile()
  expect(settled.size).toBe(12)
})

test('overlapping runs are one, also while the service does not respond', async () => {
  const { move } = movableClock()
  const { checkout, intent, service } = shop()
  await intent()
  move(minute)
  const before = service.requests.length
  const runs = Array.from({ length: 30 }, () => checkout.reconcile())
  expect(new Set(runs).size).toBe(1)
  await Promise.all(runs)
  expect(service.requests).toHaveLength(before + 1)
})

test.each([
  ['cannot be reached', (service: FakeService) => service.dropBeforeCommit()],
  ['asks to wait', (service: FakeService) => service.status(429, { retryAfter: 60 })],
])('a run ends when the service %s', async (_, fail) => {
  const { move } = movableClock()
  const { checkout, handoff, rows, service } = shop()
  for (let index = 0; index < 40; index++) {
    rows.set(`A-${index}`, { orderId: `A-${index}`, amount: 100, currency: 'AMD' })
    await handoff({ orderId: `A-${index}` })
  }
  const before = service.requests.length
  for (let index = 0; index < 40; index++) fail(service)
  move(minute)
  await expect(checkout.reconcile()).rejects.toMatchObject({ retryable: true })
  expect(service.requests.length - before).toBeLessThan(10)
})

test('a run ends when the service rejects the key', async () => {
  const { move } = movableClock()
  const { checkout, intent, service } = shop()
  await intent()
  service.status(401, { code: 'invalid_credentials' })
  move(minute)
  await expect(checkout.reconcile()).rejects.toMatchObject({ status: 401 })
})

test.each([
  ['amount', { amount: 1 }],
  ['currency', { currency: 'USD' }],
  ['order', { orderId: 'B-2' }],
])('a paid intent with another %s pays for nothing', async (_, change) => {
  const service = fakeService()
  let isChanged = false
  const changing: typeof fetch = async (input, init) => {
    const response = await service.fetch(input, init)
    const { method } = new Request(input, init)
    return isChanged && method === 'GET'
      ? Response.json({ ...((await response.json()) as object), ...change }, response)
      : response
  }
  const { intent, phase, paid, reviews, later } = shop({
    service: { ...service, options: { ...service.options, fetch: changing } },
  })
  const first = await intent()
  isChanged = true
  service.settle(first, 'succeeded')
  expect([await phase(), await later(), paid]).toMatchObject(['review', {}, []])
  expect(reviews).toEqual([`${first} mismatch`])
})

test('a payment that onPaid rejects goes to review', async () => {
  const { intent, phase, service, reviews, later } = shop({ onPaid: () => false })
  const first = await intent()
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('review')
  await later()
  expect(reviews).toEqual([`${first} rejected`])
})

test('onPaid that returns nothing is an error, and the order is not paid', async () => {
  const { intent, phase, service, errors } = shop({ onPaid: () => undefined as never })
  service.settle(await intent(), 'succeeded')
  expect(await phase()).toBe('processing')
  expect(String(errors[0])).toMatch(
    /^Error: onPaid failed for intent pi_\w+ of order "A-1001": must return true/,
  )
})

test('two tabs get one intent', async () => {
  const { intent, service } = shop()
  const [one, two] = await Promise.all([intent(), intent()])
  expect(one).toBe(two)
  expect(service.intents).toHaveLength(1)
})

test('start settles what is open, repeats it, and stops', async () => {
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

test('an order with its own version hands out no old price', async () => {
  const { intent, rows, service } = shop()
  rows.set(orderId, { orderId, amount: 100, currency: 'AMD', version: '1' })
  const first = await intent()
  rows.set(orderId, { orderId, amount: 200_000, currency: 'AMD', version: '1' })
  const second = await intent()
  expect(second).not.toBe(first)
  expect(service.intents.map(({ amount }) => amount)).toEqual([100, 200_000])
})

/** A store that counts its calls. */
function countedStore() {
  const store = memoryPayments()
  const calls = { load: 0, save: 0 }
  const payments: PaymentStore = {
    ...store,
    load: (...args) => {
      calls.load++
      return store.load(...args)
    },
    save: (record) => {
      calls.save++
      return store.save(record)
    },
  }
  return { payments, calls }
}

async function manyIntents({ intent, rows }: Pick<Shop, 'intent' | 'rows'>, count: number) {
  for (let amount = 1; amount <= count; amount++) {
    edit(rows, amount)
    await intent()
  }
}

test('20 expired payments of an order cost at most 4 loads and 2 saves', async () => {
  const { payments, calls } = countedStore()
  const order = shop({ payments })
  await manyIntents(order, 20)
  for (const { id } of order.service.intents) order.service.settle(id, 'expired')
  Object.assign(calls, { load: 0, save: 0 })
  expect(await order.phase()).toBe('failed')
  expect(calls.load).toBeLessThanOrEqual(4)
  expect(calls.save).toBeLessThanOrEqual(2)
})

test('one of 12 payments that end together pays, and the others go to review', async () => {
  const order = shop()
  await manyIntents(order, 12)
  for (const { id } of order.service.intents) order.service.settle(id, 'succeeded')
  expect(await Promise.all([order.phase(), order.phase(), order.phase()])).toContain('paid')
  await order.later()
  expect([order.paid.length, order.reviews.length, order.errors]).toEqual([1, 11, []])
})

test('of two payments under review one is accepted, and the order is paid', async () => {
  const { checkout, first, second, rows, service, paid, phase, later } = await editedOrder()
  edit(rows, 300)
  for (const id of [first, second]) service.settle(id, 'succeeded')
  expect(await phase()).toBe('review')
  const accept = (intentId: string) => checkout.resolve({ orderId, intentId }, 'accepted')
  const results = await Promise.allSettled([accept(first), accept(second)])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect([await phase(), paid.length]).toEqual(['paid', 1])
  const [other = ''] = [first, second].filter((id) => !paid.includes(id))
  await expect(accept(other)).rejects.toThrow(/is already paid by intent pi_\w+\. Refund one/)
  await checkout.resolve({ orderId, intentId: other }, 'refunded')
  await later()
  expect((await later()).orders).toBe(0)
})

test('a payment whose onPaid always fails can be refunded, and the order can be paid', async () => {
  let isBroken = true
  const { checkout, intent, service, phase, later } = shop({
    onPaid: () => {
      if (isBroken) throw new Error('broken')
      return true
    },
  })
  const first = await intent()
  service.settle(first, 'succeeded')
  expect(await phase()).toBe('processing')
  await later()
  await checkout.resolve({ orderId, intentId: first }, 'refunded')
  isBroken = false
  const second = await intent()
  expect(second).not.toBe(first)
  service.settle(second, 'succeeded')
  expect(await phase()).toBe('paid')
})

test('a payment that is running onPaid cannot be refunded', async () => {
  let finish: (paid: boolean) => void = () => {}
  const { checkout, intent, service, status } = shop({
    onPaid: () => new Promise<boolean>((resolve) => (finish = resolve)),
  })
  const intentId = await intent()
  service.settle(intentId, 'succeeded')
  const response = status()
  await vi.waitFor(() => expect(finish).not.toBe(undefined))
  await expect.poll(() => service.requests.length).toBe(2)
  await expect(checkout.resolve({ orderId, intentId }, 'refunded')).rejects.toThrow(
    /running onPaid/,
  )
  finish(true)
  expect(await (await response).json()).toMatchObject({ phase: 'paid' })
})

test('an order can be paid after the service has forgotten a key', async () => {
  const service = fakeService()
  let forgotten = 0
  const forgetful: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'POST') return service.fetch(request)
    const key = `${request.headers.get('idempotency-key')}-${forgotten}`
    return service.fetch(
      new Request(request, { headers: { ...init?.headers, 'idempotency-key': key } }),
    )
  }
  const { intent, phase } = shop({
    service: { ...service, options: { ...service.options, fetch: forgetful } },
  })
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

/** A service whose next response to a retrieve waits, as on a slow line. */
function slowService() {
  const service = fakeService()
  let hold: Promise<void> | undefined
  const slow: typeof fetch = async (input, init) => {
    const response = await service.fetch(input, init)
    const isHeld = new Request(input, init).method === 'GET'
    const waiting = isHeld ? hold : undefined
    hold = isHeld ? undefined : hold
    await waiting
    return response
  }
  return {
    service: { ...service, options: { ...service.options, fetch: slow } },
    /** Holds the next response back until the returned function is called. */
    holdNext: () => {
      let release = () => {}
      hold = new Promise((resolve) => {
        release = resolve
      })
      return release
    },
  }
}

test.each(['processing', 'unknown_status'] as const)(
  'an older response does not replace a confirmed %s',
  async (status) => {
    const { service, holdNext } = slowService()
    const { intent, phase, record } = shop({ service })
    const id = await intent()
    service.settle(id, status as 'processing')
    await phase()
    service.settle(id, 'requires_payment_method')
    const release = holdNext()
    const old = phase()
    await expect.poll(() => service.requests.length).toBe(3)
    service.settle(id, status as 'processing')
    await phase()
    release()
    await old
    expect((await record())?.payments[0]?.state).not.toBe('open')
  },
)

test('a replay that another tab has stored is retrieved before it is handed out', async () => {
  const store = memoryPayments()
  const service = fakeService()
  const one = shop({ service, payments: store })
  const first = await one.intent()
  const two = shop({ service, payments: { ...store, load: staleOnce(store) } })
  service.settle(first, 'processing')
  expect(await two.intent()).toBe('payment_in_progress')
})

/** The first load misses what another process stores at the same time. */
function staleOnce(store: PaymentStore): PaymentStore['load'] {
  let isFirst = true
  return (...args) => {
    if (!isFirst) return store.load(...args)
    isFirst = false
    return undefined
  }
}

test('a mismatch on an intent that fails then does not block the order', async () => {
  const service = fakeService()
  let isChanged = false
  const changing: typeof fetch = async (input, init) => {
    const response = await service.fetch(input, init)
    if (!isChanged || new Request(input, init).method !== 'GET') return response
    return Response.json({ ...((await response.json()) as object), amount: 1 }, response)
  }
  const { intent, phase } = shop({
    service: { ...service, options: { ...service.options, fetch: changing } },
  })
  const first = await intent()
  isChanged = true
  expect(await phase()).toBe('unknown')
  service.settle(first, 'failed')
  expect(await phase()).toBe('failed')
  isChanged = false
  expect(await intent()).not.toBe(first)
})

test.each(describedServices)(
  '%s pays for an order, fails it, and pays twice',
  async (_, newService) => {
    const { intent, phase, service, paid, reviews, rows, later } = shop({ service: newService() })
    const failed = await intent()
    service.settle(failed, 'canceled')
    expect(await phase()).toBe('failed')
    const first = await intent()
    edit(rows, 200)
    const second = await intent()
    expect(new Set([failed, first, second]).size).toBe(3)
    service.settle(second, 'processing')
    expect([await phase(), await intent()]).toEqual(['processing', 'payment_in_progress'])
    for (const id of [first, second]) service.settle(id, 'succeeded')
    expect([await phase(), await intent()]).toEqual(['paid', 'order_already_paid'])
    await later()
    expect([paid, reviews]).toEqual([[second], [`${first} earlier_version`]])
    expect(await phase()).toBe('paid')
  },
)

test.each([
  ['the order is open', (first: string) => [[first], []]],
  ['the next one is paid', (first: string, second: string) => [[second], [`${first} duplicate`]]],
])(
  'a failed payment of another service that is paid after all is found while %s',
  async (name, expected) => {
    const { intent, phase, service, paid, reviews, later } = shop({ service: foreignService() })
    const first = await intent()
    service.settle(first, 'failed')
    expect(await phase()).toBe('failed')
    const second = await intent()
    if (name === 'the next one is paid') service.settle(second, 'succeeded')
    await later(2 * day)
    service.settle(first, 'succeeded')
    for (let passed = 0; passed < 4; passed++) await later(day)
    expect([paid, reviews]).toEqual(expected(first, second))
  },
)
