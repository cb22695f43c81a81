import { describe, expect, test, vi } from 'vitest'
import { memoryPayments, type PaymentStore } from '../../src/index.ts'
import type { FakeService } from '../../src/testing/fake-service.ts'
import { describedServices } from '../foreign-services.ts'
import {
  fakeTimers,
  movableClock,
  orderId,
  type Row,
  type ShopOptions,
  shop as shopOf,
} from './shop.ts'

describe.each(describedServices)('%s', (_, newService) => {
  const shop = (options: ShopOptions = {}) => shopOf({ service: newService(), ...options })

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
    const { move } = movableClock()
    const { checkout, first, second, service, paid, reviews, phase } = await editedOrder()
    service.settle(second, 'succeeded')
    expect(await phase()).toBe('paid')
    service.settle(first, 'succeeded')
    move(minute)
    await checkout.reconcile()
    expect([paid, reviews]).toEqual([[second], [`${first} duplicate`]])
    expect(await phase()).toBe('paid')
  })

  test('an old version that is paid first blocks the order until it is decided', async () => {
    const { checkout, first, second, service, paid, reviews, phase, intent } = await editedOrder()
    service.settle(first, 'succeeded')
    expect(await phase()).toBe('review')
    expect(await intent()).toBe('payment_under_review')
    expect([paid, reviews]).toEqual([[], [`${first} earlier_version`]])
    await checkout.resolve({ orderId, intentId: first }, 'refunded')
    expect(await intent()).toBe(second)
  })

  test('an old version that is paid after the new one failed goes to review', async () => {
    const { first, second, service, reviews, phase } = await editedOrder()
    service.settle(second, 'failed')
    expect(await phase()).toBe('failed')
    service.settle(first, 'succeeded')
    expect(await phase()).toBe('review')
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
    const service = newService()
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
    const service = newService()
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
    edit(rows, 100)
    const payment = { orderId, intentId: first }
    await checkout.resolve(payment, 'accepted')
    expect([await phase(), paid]).toEqual(['paid', [first]])
    await expect(checkout.resolve(payment, 'refunded')).rejects.toThrow(
      /^intentId: .*no payment .* under review/,
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
    const service = newService()
    let isChanged = false
    const changing: typeof fetch = async (input, init) => {
      const response = await service.fetch(input, init)
      const { method } = new Request(input, init)
      return isChanged && method === 'GET'
        ? Response.json({ ...((await response.json()) as object), ...change }, response)
        : response
    }
    const { intent, phase, paid, reviews } = shop({
      service: { ...service, options: { ...service.options, fetch: changing } },
    })
    const first = await intent()
    isChanged = true
    service.settle(first, 'succeeded')
    expect([await phase(), paid, reviews]).toEqual(['review', [], [`${first} mismatch`]])
  })

  test('a payment that onPaid rejects goes to review', async () => {
    const { intent, phase, service, reviews } = shop({ onPaid: () => false })
    const first = await intent()
    service.settle(first, 'succeeded')
    expect([await phase(), reviews]).toEqual(['review', [`${first} rejected`]])
  })

  test('onPaid that returns nothing is an error, and the order is not paid', async () => {
    const { intent, phase, service, errors } = shop({ onPaid: () => undefined as never })
    service.settle(await intent(), 'succeeded')
    expect(await phase()).toBe('processing')
    expect(String(errors[0])).toMatch(/^TypeError: onPaid: must return true, or false/)
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
})
