import { ConnectionError } from '@pi-checkout/server'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('returns exactly id and clientSecret, for the shop’s price', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  const handoff = await buyer.handoff(orderId)
  expect(Object.keys(handoff)).toEqual(['id', 'clientSecret'])
  expect(shop.service.intents.find(({ id }) => id === handoff.id)).toMatchObject({
    orderId,
    amount: 980000,
    currency: 'AMD',
    metadata: { lines: 'lori-honey×2' },
  })
})

test('resumes the same intent after a reload without a request to the service', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const first = await buyer.handoff(orderId)
  const asked = shop.service.keys.length
  expect(await buyer.handoff(orderId)).toEqual(first)
  expect(shop.service.keys.length).toBe(asked)
})

test('creates one intent for two tabs without a cookie (threat 41)', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const [one, two] = await Promise.all([buyer.handoff(orderId), buyer.handoff(orderId)])
  expect(one).toEqual(two)
  expect(shop.service.intents.filter((intent) => intent.orderId === orderId)).toHaveLength(1)
})

test('marks an order paid when the service returns it, and empties its cart', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const { id } = await buyer.handoff(orderId)
  expect(await buyer.status(orderId)).toBe('open')
  await buyer.send(`/orders/${orderId}?status=paid&payment_intent=${id}`)
  expect((await buyer.order(orderId)).state).toBe('open')

  settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect((await buyer.cart()).lines).toEqual([])
  const answer = await buyer.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  expect(answer.status).toBe(409)
})

test('creates a new intent for the same order after a failure', async () => {
  const { buyer, orderId } = await shop.order('coffee-cups')
  const first = await buyer.handoff(orderId)
  settle(first.id, 'failed')
  expect(await Promise.all([buyer.status(orderId), buyer.status(orderId)])).toEqual([
    'failed',
    'failed',
  ])
  expect((await buyer.order(orderId)).state).toBe('failed')

  const second = await buyer.handoff(orderId)
  expect(second.id).not.toBe(first.id)
  expect((await buyer.order(orderId)).state).toBe('open')
  settle(second.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
})

test('shows a canceled order and an expired one, and creates a new intent', async () => {
  for (const [status, state] of [
    ['canceled', 'canceled'],
    ['expired', 'failed'],
  ] as const) {
    const { buyer, orderId } = await shop.order('thyme-tea', 2)
    const { id } = await buyer.handoff(orderId)
    settle(id, status)
    expect(await buyer.status(orderId)).toBe('failed')
    expect(await buyer.order(orderId)).toMatchObject({ state, payable: true })
    expect((await buyer.orders()).map((order) => order.state)).toEqual([state])
    expect((await buyer.handoff(orderId)).id).not.toBe(id)
  }
})

test('reports a payment for an earlier version instead of marking the order paid', async () => {
  const { buyer, orderId } = await shop.order('dried-apricots')
  const old = await buyer.handoff(orderId)
  await buyer.put('dried-apricots', 2)
  expect(await buyer.placeOrder()).toBe(orderId)
  const now = await buyer.handoff(orderId)
  expect(now.id).not.toBe(old.id)

  settle(old.id, 'succeeded')
  await shop.settle()
  expect(await buyer.status(orderId)).toBe('open')
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏3,200'] })

  settle(now.id, 'succeeded')
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', earlierPayments: ['֏3,200'] })
})

test('does not accept a payment for an earlier version before the new intent exists', async () => {
  const { buyer, orderId } = await shop.order('dried-apricots')
  const old = await buyer.handoff(orderId)
  await buyer.put('dried-apricots', 3)
  await buyer.placeOrder()
  settle(old.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('open')
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏3,200'] })
})

test('shows a payment for an earlier version to the buyer', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const old = await buyer.handoff(orderId)
  await buyer.put('lori-honey', 2)
  await buyer.placeOrder()
  await buyer.handoff(orderId)
  settle(old.id, 'succeeded')
  expect(await buyer.settle(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏4,900'] })
  const other = await shop.buyer()
  await expect(other.settle(orderId)).rejects.toThrow('404')
})

test('creates another order for a cart that is checked out after its payment', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const { id } = await buyer.handoff(orderId)
  settle(id, 'succeeded')
  await buyer.put('thyme-tea', 1)
  expect(await buyer.placeOrder()).not.toBe(orderId)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', earlierPayments: [] })
})

test('leads to the pending order while the bank is processing its payment', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const { id } = await buyer.handoff(orderId)
  settle(id, 'processing')
  await buyer.put('thyme-tea', 1)
  expect(await buyer.placeOrder()).toBe(orderId)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'processing', payable: false })
  expect(await buyer.cart()).toMatchObject({ pendingOrder: orderId })
  const page = await buyer.send(`/pay/${orderId}`)
  expect([page.status, page.headers.get('location')]).toEqual([303, `/confirming/${orderId}`])

  settle(id, 'failed')
  expect(await buyer.placeOrder()).toBe(orderId)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', amount: '֏7,300' })
  expect(await buyer.cart()).toMatchObject({ pendingOrder: undefined, pieces: 2 })
})

test('opens no form while a payment for an earlier version is processing', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const old = await buyer.handoff(orderId)
  await buyer.put('lori-honey', 2)
  await buyer.placeOrder()
  settle(old.id, 'processing')
  expect(await buyer.placeOrder()).toBe(orderId)
  const answer = await buyer.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  expect(answer.status).toBe(404)
  expect((await buyer.order(orderId)).state).toBe('processing')

  settle(old.id, 'succeeded')
  expect(await buyer.settle(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏4,900'] })
})

test('leads to the paid order if its payment is found by "Check out"', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const { id } = await buyer.handoff(orderId)
  settle(id, 'succeeded')
  expect(await Promise.all([buyer.placeOrder(), buyer.placeOrder()])).toEqual([orderId, orderId])
  expect((await buyer.orders()).map(({ state }) => state)).toEqual(['paid'])
  expect((await buyer.cart()).lines).toEqual([])
})

test('removes the bought pieces from a cart that contains more of them', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  const { id } = await buyer.handoff(orderId)
  await buyer.put('lori-honey', 3)
  settle(id, 'succeeded')
  expect(await Promise.all([buyer.status(orderId), buyer.status(orderId)])).toEqual([
    'paid',
    'paid',
  ])
  expect((await buyer.cart()).lines).toMatchObject([{ product: 'lori-honey', quantity: 1 }])
})

test('keeps an order as it is while the service cannot return its intent', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const { id } = await buyer.handoff(orderId)
  const retrieve = vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(unreachable)
  expect(await buyer.placeOrder()).toBe(orderId)
  await buyer.put('lori-honey', 2)
  const answer = await buyer.send('/orders', { method: 'POST', form: {} })
  expect(answer.status).toBe(503)
  expect((await buyer.order(orderId)).amount).toBe('֏4,900')

  retrieve.mockRestore()
  settle(id, 'succeeded')
  const next = await buyer.placeOrder()
  expect(next).not.toBe(orderId)
  expect((await buyer.order(next)).amount).toBe('֏4,900')
})

test('changes an order whose intent the service does not have', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const { id } = await buyer.handoff(orderId)
  const stored = shop.service.intents.find((intent) => intent.id === id)
  if (stored) Object.assign(stored, { id: `${id}_of_another_store` })
  await buyer.put('lori-honey', 2)
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.order(orderId)).amount).toBe('֏9,800')
})

test('opens no form for pieces that were taken out of the cart', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  await buyer.put('lori-honey', 1)
  const page = await buyer.send(`/pay/${orderId}`)
  expect([page.status, page.headers.get('location')]).toEqual([303, '/cart'])
  const answer = await buyer.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  expect(answer.status).toBe(404)
  expect((await buyer.order(orderId)).payable).toBe(false)
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.order(orderId)).payable).toBe(true)
})

test('returns the handoff at the new price if the order changes while its intent is created', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  let release = (): void => {}
  shop.service.held = new Promise((resolve) => {
    release = resolve
  })
  const asked = shop.service.keys.length
  const early = buyer.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  await expect.poll(() => shop.service.keys.length).toBe(asked + 1)
  await buyer.put('lori-honey', 2)
  await buyer.placeOrder()
  release()
  const { id } = (await (await early).json()) as { id: string }
  const now = await buyer.handoff(orderId)
  expect(id).toBe(now.id)
  const made = shop.service.intents.filter((intent) => intent.orderId === orderId)
  expect(made.map(({ amount }) => amount)).toEqual([490000, 980000])
  settle(made[0]?.id ?? '', 'succeeded')
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏4,900'] })
  settle(now.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
})

test('uses the first intent again if the cart is changed back', async () => {
  const { buyer, orderId } = await shop.order('dried-apricots')
  const first = await buyer.handoff(orderId)
  await buyer.put('dried-apricots', 2)
  await buyer.placeOrder()
  await buyer.put('dried-apricots', 1)
  await buyer.placeOrder()
  expect(await buyer.handoff(orderId)).toEqual(first)
  settle(first.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect((await buyer.order(orderId)).state).toBe('paid')
})

test('settles an order whose tab was closed', async () => {
  const { buyer, orderId } = await shop.order('scribe-notebook')
  const { id } = await buyer.handoff(orderId)
  settle(id, 'processing')
  await shop.settle()
  expect((await buyer.order(orderId)).state).toBe('processing')
  settle(id, 'succeeded')
  await Promise.all([shop.settle(), shop.settle()])
  expect((await buyer.order(orderId)).state).toBe('paid')
  const asked = shop.service.retrieved
  await shop.settle()
  const others = shop.service.retrieved - asked
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect(others).toBeLessThan(shop.service.intents.length)
})

test('returns the same 404 for another buyer’s order and an unknown order (threat 35)', async () => {
  const { orderId } = await shop.order('thyme-tea')
  const other = await shop.buyer()
  const bodies: string[] = []
  for (const id of [orderId, 'unknown']) {
    for (const path of ['/pay/', '/confirming/', '/checkout/status?orderId=', '/orders/']) {
      const answer = await other.send(path + id)
      expect(answer.status).toBe(404)
      // The form for the language leads back to the address.
      bodies.push((await answer.text()).replace(path + id, path))
    }
    const answer = await other.send('/checkout/handoff', {
      method: 'POST',
      body: { orderId: id },
    })
    expect(answer.status).toBe(404)
    bodies.push(await answer.text())
  }
  expect(bodies.slice(0, 5)).toEqual(bodies.slice(5))
})

test('rejects a handoff request with anything but an order id (threat 39)', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  for (const extra of [{ amount: 1 }, { currency: 'USD' }, { attempt: 2 }]) {
    for (const body of [
      { ...extra, orderId },
      { orderId, ...extra },
    ]) {
      expect((await buyer.send('/checkout/handoff', { method: 'POST', body })).status).toBe(400)
    }
  }
  expect(shop.service.intents.filter((intent) => intent.orderId === orderId)).toEqual([])
})

test('serves 301 sessions at one address, as behind a proxy or a carrier', async () => {
  const buyers = await Promise.all(Array.from({ length: 301 }, async () => await shop.buyer()))
  const statuses = await Promise.all(
    buyers.map(async (buyer) => {
      const body = { orderId: 'unknown' }
      return (await buyer.send('/checkout/handoff', { method: 'POST', body })).status
    }),
  )
  expect(new Set(statuses)).toEqual(new Set([404]))
})

test('rejects the eleventh handoff of a session in ten minutes, not that of another session', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  for (let call = 1; call <= 10; call++) await buyer.handoff(orderId)
  const answer = await buyer.send('/checkout/handoff', { method: 'POST', body: { orderId } })
  expect(answer.status).toBe(429)
  expect(await answer.json()).toMatchObject({ code: 'rate_limited' })

  const other = await shop.buyer()
  await other.put('thyme-tea', 1)
  await other.handoff(await other.placeOrder())
})

test('ignores the handoff cookie of another session', async () => {
  const buyer = await shop.buyer()
  await buyer.put('thyme-tea', 1)
  const theirs = await buyer.handoff(await buyer.placeOrder())
  const thief = await shop.buyer()
  await thief.put('thyme-tea', 1)
  thief.setCookie('pi-handoff', buyer.cookie('pi-handoff') ?? '')
  const own = await thief.handoff(await thief.placeOrder())
  expect(own.id).not.toBe(theirs.id)
})

const unreachable = new ConnectionError('no response', {
  code: 'connection_lost',
  outcome: 'unknown',
  retryable: true,
  requests: [],
})

function settle(id: string, status: string): void {
  const intent = shop.service.intents.find((known) => known.id === id)
  if (!intent) throw new Error(`no intent ${id}`)
  intent.status = status
}
