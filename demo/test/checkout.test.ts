import type { PaymentIntentStatus } from '@pi-checkout/server'
import type { Handoff } from '@pi-checkout/test-support/http-buyer'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('returns exactly id, clientSecret, and the order, for the shop’s price', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  const body = { amount: 1, currency: 'USD', attempt: 2, orderId }
  const response = await buyer.send('/checkout/handoff', { method: 'POST', body })
  const handoff = (await response.json()) as Handoff
  expect(Object.keys(handoff)).toEqual(['id', 'clientSecret', 'orderId'])
  const metadata = { lines: 'lori-honey×2' }
  const intents = shop.service.intents.filter((intent) => intent.orderId === orderId)
  expect(intents).toMatchObject([{ id: handoff.id, amount: 980000, currency: 'AMD', metadata }])
})

test('marks an order paid when the service returns that its payment has succeeded', async () => {
  const { buyer, orderId, id } = await shop.handedOff()
  expect(await buyer.status(orderId)).toBe('open')
  await buyer.send(`/orders/${orderId}?status=paid&payment_intent=${id}`)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', payable: true })

  shop.service.settle(id, 'succeeded')
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', payable: false })
  expect((await buyer.requestHandoff(orderId)).status).toBe(409)
})

test.each<[PaymentIntentStatus, string]>([
  ['failed', 'failed'],
  ['expired', 'failed'],
  ['canceled', 'canceled'],
])('after an intent is %s, the order is %s and gets a new intent', async (status, state) => {
  const { buyer, orderId, id } = await shop.handedOff()
  shop.service.settle(id, status)
  expect(await buyer.order(orderId)).toMatchObject({ state, payable: true })

  const second = await buyer.handoff(orderId)
  expect(second.id).not.toBe(id)
  expect((await buyer.order(orderId)).state).toBe('open')
  shop.service.settle(second.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
})

test('moves the cart into the order, so that another cart is another order', async () => {
  const { buyer, orderId, id } = await shop.handedOff()
  expect(await buyer.cart()).toEqual({})
  await buyer.put('thyme-tea', 1)
  const next = await buyer.placeOrder()
  expect(next).not.toBe(orderId)
  shop.service.settle(id, 'succeeded')
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', amount: '֏4,900' })
  expect(await buyer.order(next)).toMatchObject({ state: 'open', amount: '֏2,400' })
})

test('"Edit order" closes the order and moves its lines back into the cart', async () => {
  const { buyer, orderId } = await shop.handedOff()
  await buyer.put('lori-honey', 20)
  await buyer.put('thyme-tea', 1)
  const presses = [buyer.editCart(orderId), buyer.editCart(orderId)]
  expect(await Promise.all(presses)).toEqual(['/cart', '/cart'])
  expect(await buyer.cart()).toEqual({ 'lori-honey': 20, 'thyme-tea': 1 })
  expect(await buyer.order(orderId)).toMatchObject({ state: 'closed', payable: false })
  expect((await buyer.requestHandoff(orderId)).status).toBe(404)
  expect((await buyer.send(`/pay/${orderId}`)).headers.get('location')).toBe('/cart')
  expect(await buyer.placeOrder()).not.toBe(orderId)
})

test.each(['processing', 'succeeded'] as const)(
  '"Edit order" keeps an order whose payment is %s, and leads to it',
  async (status) => {
    const { buyer, orderId, id } = await shop.handedOff()
    shop.service.settle(id, status)
    expect(await buyer.editCart(orderId)).toBe(`/orders/${orderId}`)
    expect((await buyer.send(`/pay/${orderId}`)).headers.get('location')).toBe(`/orders/${orderId}`)
    expect(await buyer.order(orderId)).toMatchObject({ payable: false })
    expect(await buyer.cart()).toEqual({})
  },
)

test('"Edit order" keeps the order while the service cannot return its intent', async () => {
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { buyer, orderId } = await shop.handedOff()
  const retrieve = vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(new Error('unreachable'))
  const response = await buyer.send(`/orders/${orderId}/edit`, { method: 'POST', form: {} })
  expect(response.status).toBe(503)
  retrieve.mockRestore()
  log.mockRestore()
  expect((await buyer.order(orderId)).state).toBe('open')
  expect(await buyer.editCart(orderId)).toBe('/cart')
})

test('returns the same 404 for another buyer’s order and an unknown order', async () => {
  const { orderId } = await shop.order()
  const other = await shop.buyer()
  const bodiesFor = async (id: string): Promise<string[]> => {
    const responses = await Promise.all([
      ...['/pay/', '/orders/', '/checkout/status?orderId='].map((path) => other.send(path + id)),
      other.requestHandoff(id),
      other.send(`/orders/${id}/edit`, { method: 'POST', form: {} }),
    ])
    expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    return await Promise.all(responses.map((response) => response.text()))
  }
  expect(await bodiesFor(orderId)).toEqual(await bodiesFor('unknown'))
})
