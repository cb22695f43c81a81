import { afterAll, beforeAll, expect, test } from 'vitest'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('stores valid cart lines and rejects invalid ones', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 2)
  await buyer.put('thyme-tea', 1)
  await buyer.put('thyme-tea', 0)
  for (const [form, status] of [
    [{ product: 'moon-rock', quantity: 1 }, 404],
    [{ product: 'thyme-tea', quantity: 21 }, 400],
    [{ product: 'thyme-tea', quantity: -1 }, 400],
    [{ product: 'thyme-tea', quantity: 1.5 }, 400],
    [{ product: 'thyme-tea', quantity: 1, price: 1 }, 400],
    [{ product: 'thyme-tea', quantity: 1, back: '//evil.example' }, 400],
    [{ product: 'thyme-tea' }, 400],
  ] as const) {
    expect((await buyer.send('/cart', { method: 'POST', form })).status).toBe(status)
  }
  expect(await buyer.cart()).toEqual({ 'lori-honey': 2 })
  expect(await buyer.page('/cart')).toContain('data-testid="cart-total">֏9,800<')
})

test('creates no order for an empty cart', async () => {
  const buyer = await shop.buyer()
  const response = await buyer.send('/orders', { method: 'POST', form: {} })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/cart'])
})

test('creates one order for a double click on "Check out"', async () => {
  const buyer = await shop.buyer()
  await buyer.put('thyme-tea', 1)
  const [one, two] = await Promise.all([buyer.placeOrder(), buyer.placeOrder()])
  expect(one).toMatch(/^TS-\d{10}$/)
  expect(one).toBe(two)
})

test('rejects changes from pages of other sites', async () => {
  const buyer = await shop.buyer()
  const form = { product: 'thyme-tea', quantity: 1 }
  for (const headers of [
    { origin: 'http://evil.localhost' },
    { origin: `${shop.url}.evil.localhost` },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    for (const path of ['/cart', '/staff']) {
      const response = await buyer.send(path, { method: 'POST', form, headers })
      expect(response.status, JSON.stringify(headers)).toBe(403)
    }
  }
  expect(await buyer.cart()).toEqual({})
})

test('explains a missing cookie', async () => {
  const buyer = await shop.buyer()
  buyer.dropCookie('sid')
  const form = { product: 'thyme-tea', quantity: 1 }
  const headers = { accept: 'text/html' }
  const rejected = await buyer.send('/cart', { method: 'POST', form, headers })
  expect(rejected.status).toBe(403)
  expect(await rejected.text()).toContain('The cart needs cookies')
})

test('each page leads to the files to copy, and to the inspector', async () => {
  const { buyer, orderId, id } = await shop.handedOff()
  for (const path of ['/', '/cart', `/orders/${orderId}`, `/pay/${orderId}`]) {
    const page = await buyer.page(path)
    expect(page, path).toContain('href="/how-this-shop-takes-payments"')
    expect(page, path).toContain(`href="${shop.inspectorUrl}`)
  }
  expect(await buyer.page(`/orders/${orderId}`)).toContain(`/_sandbox/#/intents/${id}"`)
  const about = await buyer.page('/how-this-shop-takes-payments')
  expect(about).toContain('demo/server/checkout.ts')
  expect(about).toContain('demo/server/views/pay-page.ts')
  expect(about).toContain('demo/server/staff.ts')
})
