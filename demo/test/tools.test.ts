import { afterAll, beforeAll, expect, test } from 'vitest'
import type { BackOfficeData } from '../server/page-data.ts'
import { adminToken, startShop, type TestShop } from './shop.ts'

let shop: TestShop
let live: TestShop
beforeAll(async () => {
  shop = await startShop()
  live = await startShop({ development: false })
})
afterAll(async () => {
  await shop.close()
  await live.close()
})

test('the back office requires its token', async () => {
  const buyer = await shop.buyer()
  for (const authorization of ['', 'Bearer', 'Bearer wrong', `Basic ${adminToken}`, adminToken]) {
    const headers = { authorization }
    expect((await buyer.send('/admin/data', { headers })).status).toBe(403)
    const answer = await buyer.send('/admin/reconcile', { method: 'POST', body: {}, headers })
    expect(answer.status).toBe(403)
  }
  const headers = { authorization: `Bearer ${adminToken}` }
  expect((await buyer.send('/admin/data', { headers })).status).toBe(200)
})

test('"Reconcile now" settles an order and lists its intents', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const old = await buyer.handoff(orderId)
  await buyer.put('thyme-tea', 2)
  await buyer.placeOrder()
  const now = await buyer.handoff(orderId)
  for (const intent of shop.service.intents) {
    if (intent.orderId === orderId) intent.status = 'succeeded'
  }
  const headers = { authorization: `Bearer ${adminToken}` }
  const answer = await buyer.send('/admin/reconcile', { method: 'POST', body: {}, headers })
  const { orders } = (await answer.json()) as BackOfficeData
  expect(orders).toContainEqual(
    expect.objectContaining({
      id: orderId,
      state: 'paid',
      intents: [
        expect.objectContaining({ id: now.id, verdict: 'paid', current: true, alert: null }),
        expect.objectContaining({
          id: old.id,
          verdict: 'paid',
          current: false,
          alert: expect.stringContaining('refund it'),
        }),
      ],
    }),
  )
})

test('the inspector shows a buyer’s own order only, without a secret', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const { clientSecret } = await buyer.handoff(orderId)
  await buyer.status(orderId)
  const text = await (await buyer.send(`/api/trace/${orderId}`)).text()
  expect(text).not.toContain(clientSecret)
  expect(JSON.parse(text)).toMatchObject({
    canLoseResponses: true,
    steps: [
      { way: 'browser → shop', what: 'POST /checkout/handoff' },
      { way: 'shop → service', what: 'POST /payment-intents', attempt: 1, status: 201 },
      { way: 'shop → browser', what: 'the page received: id, clientSecret', status: 200 },
      { way: 'browser → shop', what: 'GET /checkout/status' },
      { way: 'shop → service', what: 'GET /payment-intents/:id', attempt: 1, status: 200 },
      { way: 'shop → browser', what: 'phase: open', status: 200 },
    ],
  })
  const other = await shop.buyer()
  expect((await other.send(`/api/trace/${orderId}`)).status).toBe(404)
})

for (const shopOrigin of ['http://localhost:3000', 'https://shop.example']) {
  test(`"Lose the next response" at ${shopOrigin} makes the next handoff retry with the same key`, async () => {
    const there = await startShop({ shopOrigin })
    const buyer = await there.buyer()
    await buyer.put('thyme-tea', 1)
    const orderId = await buyer.placeOrder()
    const before = await buyer.handoff(orderId)
    const lose = { method: 'POST', body: {} }
    const answer = await buyer.send(`/api/trace/${orderId}/lose-next-response`, lose)
    expect(answer.status).toBe(204)
    // Browsers delete a cookie with this prefix only with these attributes.
    for (const cookie of answer.headers.getSetCookie()) {
      if (cookie.startsWith('__Host-')) expect(cookie).toMatch(/; Path=\/;.*; Secure/)
    }
    expect(await buyer.handoff(orderId)).toEqual(before)
    const [key] = there.service.keys
    expect(there.service.keys).toEqual([key, key, key])
    await there.close()
  })
}

test('production has no inspector and no back office', async () => {
  const buyer = await live.buyer()
  await buyer.put('thyme-tea', 1)
  const orderId = await buyer.placeOrder()
  const headers = { authorization: `Bearer ${adminToken}` }
  for (const path of ['/admin', '/admin/data', `/api/trace/${orderId}`]) {
    expect((await buyer.send(path, { headers })).status, path).toBe(404)
  }
  expect((await buyer.catalogue()).frame.development).toBe(false)
})
