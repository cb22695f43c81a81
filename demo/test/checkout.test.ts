import { ConnectionError } from '@pi-checkout/server'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { storeVerdict } from '../server/order-intents.ts'
import type { Buyer } from './buyer.ts'
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
  const metadata = { lines: 'lori-honey×2' }
  expect(shop.service.intents(orderId)).toMatchObject([
    { id: handoff.id, amount: 980000, currency: 'AMD', metadata },
  ])
})

test('resumes the same intent after a reload without a request to the service', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const first = await buyer.handoff(orderId)
  const asked = shop.service.count('POST')
  expect(await buyer.handoff(orderId)).toEqual(first)
  expect(shop.service.count('POST')).toBe(asked)
})

test('creates one intent for two tabs without a cookie (threat 41)', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const [one, two] = await Promise.all([buyer.handoff(orderId), buyer.handoff(orderId)])
  expect(one).toEqual(two)
  expect(shop.service.intents(orderId)).toHaveLength(1)
})

test('marks an order paid when the service returns it, and empties its cart', async () => {
  const { buyer, orderId, id } = await handedOff('thyme-tea')
  expect(await buyer.status(orderId)).toBe('open')
  await buyer.send(`/orders/${orderId}?status=paid&payment_intent=${id}`)
  expect((await buyer.order(orderId)).state).toBe('open')

  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
  expect((await buyer.order(orderId)).state).toBe('paid')
  expect((await buyer.cart()).lines).toEqual([])
  expect((await buyer.requestHandoff(orderId)).status).toBe(409)
})

test.each([
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

test('reports a payment for an earlier version instead of marking the order paid', async () => {
  const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => log.mockRestore())
  const { buyer, orderId, id } = await handedOff('dried-apricots')
  await buyer.put('dried-apricots', 2)
  expect(await buyer.placeOrder()).toBe(orderId)
  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('open')
  const isOpen = { state: 'open', earlierPayments: ['֏3,200'] }
  const asked = shop.service.count('GET')
  expect(await buyer.settle(orderId)).toMatchObject(isOpen)
  expect(shop.service.count('GET'), 'one intent, not those of other orders').toBe(asked + 1)
  await expect((await shop.buyer()).settle(orderId)).rejects.toThrow('404')

  const now = await buyer.handoff(orderId)
  expect(now.id).not.toBe(id)
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject(isOpen)
  shop.service.settle(now.id, 'succeeded')
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject({ ...isOpen, state: 'paid' })
  expect(log.mock.calls).toEqual([[expect.stringContaining('"review a payment"')]])
})

test('asks for the price of another list after the buyer has chosen it', async () => {
  const { buyer, orderId, id } = await handedOff()
  await buyer.submit('/preferences', { currency: 'EUR' })
  expect((await buyer.cart()).total).toBe('€12.50')
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.handoff(orderId)).id).not.toBe(id)
  shop.service.settle(id, 'succeeded')
  const isOpen = { state: 'open', amount: '€12.50', earlierPayments: ['֏4,900'] }
  expect(await buyer.settle(orderId)).toMatchObject(isOpen)
})

test('keeps a final verdict when a late response arrives', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'canceled')
  await buyer.status(orderId)
  const late = { orderId, intent: id, verdict: 'processing', method: null } as const
  expect(storeVerdict(shop.db, late)).toBe(false)
  expect((await buyer.order(orderId)).state).toBe('canceled')
})

test('creates another order for a cart that is checked out after its payment', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'succeeded')
  await buyer.put('thyme-tea', 1)
  const next = await buyer.placeOrder()
  expect((await buyer.orders()).map(({ id }) => id)).toEqual([next, orderId])
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', earlierPayments: [] })
})

test('leads to the pending order while the bank is processing its payment', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'processing')
  await buyer.put('thyme-tea', 1)
  expect(await buyer.placeOrder()).toBe(orderId)
  const isPending = { state: 'processing', payable: false, amount: '֏4,900' }
  expect(await buyer.order(orderId)).toMatchObject(isPending)
  expect(await buyer.cart()).toMatchObject({ pendingOrder: orderId })
  const page = await buyer.send(`/pay/${orderId}`)
  expect([page.status, page.headers.get('location')]).toEqual([303, `/confirming/${orderId}`])

  shop.service.settle(id, 'failed')
  expect(await buyer.placeOrder()).toBe(orderId)
  expect(await buyer.order(orderId)).toMatchObject({ state: 'open', amount: '֏7,300' })
  expect(await buyer.cart()).toMatchObject({ pendingOrder: undefined, pieces: 2 })
})

test('opens no form while a payment for an earlier version is processing', async () => {
  const { buyer, orderId, id } = await handedOff()
  await buyer.put('lori-honey', 2)
  await buyer.placeOrder()
  shop.service.settle(id, 'processing')
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.requestHandoff(orderId)).status).toBe(404)
  expect((await buyer.order(orderId)).state).toBe('processing')

  shop.service.settle(id, 'succeeded')
  expect(await buyer.settle(orderId)).toMatchObject({ state: 'open', earlierPayments: ['֏4,900'] })
})

test('leads to the paid order if its payment is found by "Check out"', async () => {
  const { buyer, orderId, id } = await handedOff()
  shop.service.settle(id, 'succeeded')
  expect(await Promise.all([buyer.placeOrder(), buyer.placeOrder()])).toEqual([orderId, orderId])
  expect((await buyer.orders()).map(({ state }) => state)).toEqual(['paid'])
  expect((await buyer.cart()).lines).toEqual([])
})

test('removes the bought pieces from a cart that contains more of them', async () => {
  const { buyer, orderId, id } = await handedOff('lori-honey', 2)
  await buyer.put('lori-honey', 3)
  shop.service.settle(id, 'succeeded')
  const phases = await Promise.all([buyer.status(orderId), buyer.status(orderId)])
  expect(phases).toEqual(['paid', 'paid'])
  expect((await buyer.cart()).lines).toMatchObject([{ product: 'lori-honey', quantity: 1 }])
})

test('keeps an order as it is while the service cannot return its intent', async () => {
  const { buyer, orderId, id } = await handedOff()
  const retrieve = vi.spyOn(shop.intents, 'retrieve').mockRejectedValue(unreachable)
  expect(await buyer.placeOrder()).toBe(orderId)
  await buyer.put('lori-honey', 2)
  const response = await buyer.send('/orders', { method: 'POST', form: {} })
  expect(response.status).toBe(503)
  expect((await buyer.order(orderId)).amount).toBe('֏4,900')

  retrieve.mockRestore()
  shop.service.settle(id, 'succeeded')
  const next = await buyer.placeOrder()
  expect(next).not.toBe(orderId)
  expect((await buyer.order(next)).amount).toBe('֏4,900')
})

test('responds to "Check out" after three seconds if the service does not respond', async () => {
  const { buyer } = await handedOff()
  const retrieve = vi
    .spyOn(shop.intents, 'retrieve')
    .mockImplementation(
      (_, { signal } = {}) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason)),
        ),
    )
  onTestFinished(() => retrieve.mockRestore())
  await buyer.put('lori-honey', 2)
  const startedAt = performance.now()
  expect((await buyer.send('/orders', { method: 'POST', form: {} })).status).toBe(503)
  expect(performance.now() - startedAt).toBeLessThan(6000)
})

test('changes an order whose intent the service does not have', async () => {
  const { buyer, orderId, id } = await handedOff()
  const { retrieve } = shop.intents
  const ofAnotherStore = `${id.slice(0, -1)}_`
  vi.spyOn(shop.intents, 'retrieve').mockImplementationOnce((_, options) =>
    retrieve.call(shop.intents, ofAnotherStore, options),
  )
  await buyer.put('lori-honey', 2)
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.order(orderId)).amount).toBe('֏9,800')
})

test('opens no form for pieces that were taken out of the cart', async () => {
  const { buyer, orderId } = await shop.order('lori-honey', 2)
  for (const left of [0, 1]) {
    await buyer.put('lori-honey', left)
    const page = await buyer.send(`/pay/${orderId}`)
    expect([page.status, page.headers.get('location')]).toEqual([303, '/cart'])
    expect((await buyer.requestHandoff(orderId)).status).toBe(404)
    expect((await buyer.order(orderId)).payable).toBe(false)
  }
  expect(await buyer.placeOrder()).toBe(orderId)
  expect((await buyer.order(orderId)).payable).toBe(true)
})

test('returns the handoff at the new price if the order changes while its intent is created', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const response = await handoffDuring({ buyer, orderId }, async () => {
    await buyer.put('lori-honey', 2)
    await buyer.placeOrder()
  })
  const { id } = await buyer.handoff(orderId)
  expect(await response.json()).toMatchObject({ id })
  const [old] = shop.service.intents(orderId)
  expect(shop.service.intents(orderId)).toMatchObject([{ amount: 490000 }, { amount: 980000 }])
  shop.service.settle(id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')

  await buyer.put('lori-honey', 1)
  shop.service.settle(old?.id ?? '', 'succeeded')
  await shop.settle()
  expect(await buyer.order(orderId)).toMatchObject({ state: 'paid', earlierPayments: ['֏4,900'] })
  expect((await buyer.cart()).pieces, 'pieces for another order stay').toBe(1)
})

test('returns no handoff if the cart is emptied while its intent is created', async () => {
  const { buyer, orderId } = await shop.order('lori-honey')
  const response = await handoffDuring({ buyer, orderId }, () => buyer.put('lori-honey', 0))
  expect(response.status).toBe(404)
})

test('returns a new intent if the payment fails while another tab opens', async () => {
  const { buyer, orderId, id } = await handedOff()
  buyer.dropCookie('pi-handoff')
  const response = await handoffDuring({ buyer, orderId }, () => {
    shop.service.settle(id, 'failed')
    return buyer.status(orderId)
  })
  expect(((await response.json()) as { id: string }).id).not.toBe(id)
})

test('uses the first intent again if the cart is changed back', async () => {
  const { buyer, orderId } = await shop.order('dried-apricots')
  await buyer.put('thyme-tea', 1)
  await buyer.placeOrder()
  const first = await buyer.handoff(orderId)
  await buyer.put('dried-apricots', 0)
  await buyer.placeOrder()
  await buyer.put('dried-apricots', 1)
  await buyer.placeOrder()
  expect(await buyer.handoff(orderId)).toEqual(first)
  shop.service.settle(first.id, 'succeeded')
  expect(await buyer.status(orderId)).toBe('paid')
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
    for (const path of ['/pay/', '/confirming/', '/checkout/status?orderId=', '/orders/']) {
      const response = await other.send(path + id)
      expect(response.status).toBe(404)
      // The form for the language leads back to the address.
      bodies.push((await response.text()).replace(path + id, path))
    }
    const response = await other.requestHandoff(id)
    expect(response.status).toBe(404)
    bodies.push(await response.text())
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
  expect(shop.service.intents(orderId)).toEqual([])
})

test('serves 301 sessions at one address, as behind a proxy or a carrier', async () => {
  const buyers = await Promise.all(Array.from({ length: 301 }, async () => await shop.buyer()))
  const statuses = await Promise.all(
    buyers.map(async (buyer) => (await buyer.requestHandoff('unknown')).status),
  )
  expect(new Set(statuses)).toEqual(new Set([404]))
})

test('rejects the eleventh handoff of a session in ten minutes, not that of another session', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  for (let call = 1; call <= 10; call++) await buyer.handoff(orderId)
  const response = await buyer.requestHandoff(orderId)
  expect(response.status).toBe(429)
  expect(await response.json()).toMatchObject({ code: 'rate_limited' })
  await handedOff('thyme-tea')
})

test('ignores the handoff cookie of another session', async () => {
  const theirs = await handedOff('thyme-tea')
  const { buyer: thief, orderId } = await shop.order('thyme-tea')
  thief.setCookie('pi-handoff', theirs.buyer.cookie('pi-handoff') ?? '')
  expect((await thief.handoff(orderId)).id).not.toBe(theirs.id)
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

const unreachable = new ConnectionError('no response', {
  code: 'connection_lost',
  outcome: 'unknown',
  retryable: true,
  requests: [],
})
