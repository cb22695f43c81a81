import { type PaymentIntentStatus, PiError } from '@pi-checkout/server'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import type { Buyer } from './buyer.ts'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('returns exactly id, clientSecret, and the order, for the shop’s price', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  const handoff = await buyer.handoff(orderId)
  expect(Object.keys(handoff)).toEqual(['id', 'clientSecret', 'orderId'])
  const metadata = { lines: 'lori-honey×2' }
  expect(shop.service.intents(orderId)).toMatchObject([
    { id: handoff.id, amount: 980000, currency: 'AMD', metadata },
  ])
})

test('marks an order paid when the service returns it', async () => {
  const { buyer, orderId, id } = await handedOff('thyme-tea')
  expect(await buyer.status(orderId)).toBe('open')
  await buyer.send(`/orders/${orderId}?status=paid&payment_intent=${id}`)
  expect((await buyer.order(orderId)).state).toBe('open')

  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect((await buyer.requestHandoff(orderId)).status).toBe(409)
})

test('the receipt shows the brand and the last four digits of the card', async () => {
  const { buyer, orderId, id } = await handedOff('thyme-tea')
  expect((await buyer.order(orderId)).paidWith).toBeUndefined()
  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect((await buyer.order(orderId)).paidWith).toBe('Visa •••• 4242')
})

test('an order is paid without a card on its receipt if the service does not return it', async () => {
  const { buyer, orderId, id } = await handedOff('thyme-tea')
  shop.service.settle(id, 'succeeded')
  const retrieve = shop.intents.retrieve.bind(shop.intents)
  const spy = vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(unreachable)
  spy.mockImplementationOnce(retrieve)
  expect(await buyer.status(orderId)).toBe('paid')
  spy.mockRestore()
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', paidWith: undefined })
})

test.each<[PaymentIntentStatus, string]>([
  ['failed', 'failed'],
  ['expired', 'failed'],
  ['canceled', 'canceled'],
])('after an intent is %s, the order is %s and gets a new intent', async (status, state) => {
  const { buyer, orderId, id } = await handedOff('thyme-tea', 2)
  shop.service.settle(id, status)
  const phases = await Promise.all([buyer.status(orderId), buyer.status(orderId)])
  expect(phases).toEqual(['failed', 'failed'])
  expect(await buyer.order(orderId)).toMatchObject({ state, payable: true })
  expect(await buyer.orders()).toEqual([{ id: orderId, state }])

  const second = await buyer.handoff(orderId)
  expect(second.id).not.toBe(id)
  expect((await buyer.order(orderId)).state).toBe('open')
  shop.service.settle(second.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
})

test('moves the cart into the order, so that another cart is another order', async () => {
  const { buyer, orderId, id } = await handedOff()
  expect(await buyer.cart()).toMatchObject({ lines: [], unpaidOrder: orderId })
  await buyer.put('thyme-tea', 1)
  const next = await buyer.placeOrder()
  expect((await buyer.orders()).map(({ id }) => id)).toEqual([next, orderId])
  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', amount: '֏4,900' })
  expect(await buyer.order(next)).toMatchObject({ state: 'open', amount: '֏2,400' })
})

test('"Edit cart" closes the order and restores its lines to the cart', async () => {
  const { buyer, orderId } = await handedOff('lori-honey', 2)
  await buyer.put('lori-honey', 19)
  await buyer.put('thyme-tea', 1)
  expect(await Promise.all([buyer.editCart(orderId), buyer.editCart(orderId)])).toEqual([
    '/cart',
    '/cart',
  ])
  expect((await buyer.cart()).lines).toEqual([
    { product: 'lori-honey', quantity: 20 },
    { product: 'thyme-tea', quantity: 1 },
  ])
  expect(await buyer.order(orderId)).toMatchObject({ state: 'closed', payable: false })
  expect((await buyer.requestHandoff(orderId)).status).toBe(404)
  expect((await buyer.send(`/pay/${orderId}`)).headers.get('location')).toBe('/cart')
  expect(await buyer.placeOrder()).not.toBe(orderId)
})

test('"Edit cart" keeps an order whose payment has just succeeded, or is processing', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'processing')
  expect(await buyer.editCart(orderId)).toBe(`/orders/${orderId}`)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'processing', payable: false })
  const page = await buyer.send(`/pay/${orderId}`)
  expect([page.status, page.headers.get('location')]).toEqual([303, `/orders/${orderId}`])
  expect(await (await buyer.requestHandoff(orderId)).json()).toMatchObject({
    code: 'payment_in_progress',
  })

  shop.service.settle(id, 'succeeded')
  expect(await buyer.editCart(orderId)).toBe(`/orders/${orderId}`)
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect((await buyer.cart()).lines).toEqual([])
})

test('"Edit cart" keeps the order while the service cannot return its intent', async () => {
  const { buyer, orderId } = await handedOff()
  const retrieve = vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(unreachable)
  const response = await buyer.send(`/orders/${orderId}/edit`, { method: 'POST', form: {} })
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('whether a payment for this order succeeded')
  retrieve.mockRestore()
  expect((await buyer.order(orderId)).state).toBe('open')
  expect(await buyer.editCart(orderId)).toBe('/cart')
})

test.each([
  ['accepted', 'paid'],
  ['refunded', 'closed'],
])('a late payment for a closed order is under review until it is %s', async (decision, state) => {
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => log.mockRestore())
  const { buyer, orderId, id } = await handedOff()
  await buyer.editCart(orderId)
  shop.service.settle(id, 'succeeded')
  await shop.settle()
  expect(log.mock.calls).toEqual([[expect.stringContaining('"review a payment"')]])
  const isReviewed = { state: 'review', isUnderReview: true, payable: false }
  expect(await buyer.order(orderId)).toMatchObject(isReviewed)
  expect(await buyer.editCart(orderId)).not.toBe('/cart')

  const form = { intentId: id, decision }
  const other = await shop.buyer()
  const otherBuyer = await other.send(`/orders/${orderId}/review`, { method: 'POST', form })
  expect(otherBuyer.status).toBe(404)
  const page = await (await buyer.send(`/orders/${orderId}/review`)).text()
  expect(page).toContain(`value="${id}"`)
  await buyer.submit(`/orders/${orderId}/review`, form)
  expect(await buyer.order(orderId)).toMatchObject({ state, isUnderReview: false })
  expect((await buyer.submit(`/orders/${orderId}/review`, form)).status).toBe(200)
})

test('asks for the price of the list that the buyer has chosen before "Check out"', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 1)
  await buyer.submit('/preferences', { currency: 'EUR' })
  expect((await buyer.cart()).total).toBe('€12.50')
  const orderId = await buyer.placeOrder()
  await buyer.handoff(orderId)
  expect(shop.service.intents(orderId)).toMatchObject([{ amount: 1250, currency: 'EUR' }])
})

test('returns no handoff if the order is closed while its intent is created', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const response = await handoffDuring({ buyer, orderId }, () => buyer.editCart(orderId))
  expect(response.status).toBe(404)
})

test('settles a paid intent of an order that is eight days old', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'succeeded')
  await shop.settle(8)
  expect((await buyer.order(orderId)).state).toBe('paid')
})

test('settles an order whose tab was closed', async () => {
  const { buyer, orderId, id } = await handedOff('scribe-notebook')
  shop.service.settle(id, 'processing')
  await shop.settle()
  expect((await buyer.order(orderId)).state).toBe('processing')
  shop.service.settle(id, 'succeeded')
  await Promise.all([shop.settle(), shop.settle()])
  expect((await buyer.order(orderId)).state).toBe('paid')
  const asked = shop.service.count('GET')
  await shop.settle()
  const others = shop.service.count('GET') - asked
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect(others).toBeLessThan(shop.service.intents().length)
})

test('returns the same 404 for another buyer’s order and an unknown order (threat 35)', async () => {
  const { orderId } = await shop.order('thyme-tea')
  const other = await shop.buyer()
  const bodies: string[] = []
  for (const id of [orderId, 'unknown']) {
    for (const path of ['/pay/', '/checkout/status?orderId=', '/orders/']) {
      const response = await other.send(path + id)
      expect(response.status).toBe(404)
      // The form for the language leads back to the address.
      bodies.push((await response.text()).replace(path + id, path))
    }
    const response = await other.requestHandoff(id)
    expect(response.status).toBe(404)
    bodies.push(await response.text())
  }
  expect(bodies.slice(0, 4)).toEqual(bodies.slice(4))
})

test('a handoff takes nothing but the order id from the page (threat 39)', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const body = { amount: 1, currency: 'USD', attempt: 2, orderId }
  expect((await buyer.send('/checkout/handoff', { method: 'POST', body })).status).toBe(200)
  const [intent, ...others] = shop.service.intents(orderId)
  expect(others).toEqual([])
  expect(intent?.currency).toBe('AMD')
  expect(intent?.amount).toBeGreaterThan(1)
})

test('rejects the eleventh handoff of a session in ten minutes, not that of another session (threat 44)', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  for (let call = 1; call <= 10; call++) await buyer.handoff(orderId)
  const response = await buyer.requestHandoff(orderId)
  expect(response.status).toBe(429)
  expect(await response.json()).toMatchObject({ code: 'rate_limited' })
  await handedOff('thyme-tea')
})

/** A new buyer whose page has got the handoff of an order. */
async function handedOff(product = 'lori-honey', quantity = 1) {
  const { buyer, orderId } = await shop.order(product, quantity)
  const { id } = await buyer.handoff(orderId)
  return { buyer, orderId, id }
}

/** Requests a handoff, and changes something before the service has returned its intent. */
async function handoffDuring(
  { buyer, orderId }: { readonly buyer: Buyer; readonly orderId: string },
  change: () => Promise<unknown>,
): Promise<Response> {
  let release = (): void => {}
  shop.service.held = new Promise((resolve) => {
    release = resolve
  })
  const asked = shop.service.count('POST')
  const response = buyer.requestHandoff(orderId)
  await expect.poll(() => shop.service.count('POST')).toBe(asked + 1)
  await change()
  release()
  return await response
}

const unreachable = new PiError('no response', {
  code: 'connection_lost',
  outcome: 'unknown',
  retryable: true,
  requests: [],
})
