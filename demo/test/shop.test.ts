import { once } from 'node:events'
import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('the catalogue has eight products, each with a picture and four prices', async () => {
  const buyer = await shop.buyer()
  const { products, frame } = await buyer.catalogue()
  expect(products).toHaveLength(8)
  expect(frame.currencies).toEqual(['AMD', 'USD', 'EUR', 'RUB'])
  for (const { id } of products) {
    const picture = await buyer.send(`/pictures/${id}.svg`)
    expect(picture.headers.get('content-type')).toContain('image/svg+xml')
  }
})

test('returns formatted prices of separate lists, not converted ones', async () => {
  const buyer = await shop.buyer()
  const priceOf = async (currency: string, language: string): Promise<string | undefined> => {
    await buyer.send('/api/preferences', { method: 'PUT', body: { currency, language } })
    return (await buyer.catalogue()).products.find(({ id }) => id === 'lori-honey')?.price
  }
  expect(await priceOf('AMD', 'en')).toBe('֏4,900')
  expect(await priceOf('USD', 'en')).toBe('$13.50')
  expect(await priceOf('EUR', 'en')).toBe('€12.50')
  expect(await priceOf('RUB', 'ru')).toMatch(/^1\s200,00\s₽$/)
  expect(await priceOf('AMD', 'hy')).toMatch(/^4\s900\s֏$/)
})

test('uses the browser’s language until the buyer selects one', async () => {
  const buyer = await shop.buyer()
  const headers = { 'accept-language': 'hy-AM,hy;q=0.9,en;q=0.8' }
  expect(await (await buyer.send('/', { headers })).text()).toContain('<html lang="hy"')
  await buyer.send('/api/preferences', { method: 'PUT', body: { language: 'ru' } })
  expect(await (await buyer.send('/', { headers })).text()).toContain('<html lang="ru"')
})

test('stores valid cart lines and rejects invalid ones', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 2)
  await buyer.put('thyme-tea', 1)
  await buyer.put('thyme-tea', 0)
  const cart = await buyer.cart()
  expect(cart.lines.map(({ product, quantity }) => [product, quantity])).toEqual([
    ['lori-honey', 2],
  ])
  expect(cart).toMatchObject({ total: '֏9,800', frame: { pieces: 2 } })
  for (const [product, body, status] of [
    ['moon-rock', { quantity: 1 }, 404],
    ['thyme-tea', { quantity: 21 }, 400],
    ['thyme-tea', { quantity: -1 }, 400],
    ['thyme-tea', { quantity: 1.5 }, 400],
    ['thyme-tea', { quantity: '1' }, 400],
    ['thyme-tea', { quantity: 1, price: 1 }, 400],
    ['thyme-tea', '{', 400],
  ] as const) {
    expect((await buyer.send(`/api/cart/${product}`, { method: 'PUT', body })).status).toBe(status)
  }
})

test('rejects a change that is based on another quantity than the cart has', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 2)
  const change = { method: 'PUT', body: { quantity: 2, was: 1 } }
  const answer = await buyer.send('/api/cart/lori-honey', change)
  expect(answer.status).toBe(409)
  expect(await answer.json()).toMatchObject({ code: 'cart_changed' })
  const again = { method: 'PUT', body: { quantity: 3, was: 2 } }
  expect((await buyer.send('/api/cart/lori-honey', again)).status).toBe(200)
  expect((await buyer.cart()).frame.pieces).toBe(3)
})

test('creates no order for an empty cart', async () => {
  const buyer = await shop.buyer()
  const answer = await buyer.send('/api/orders', { method: 'POST', body: {} })
  expect(answer.status).toBe(409)
  expect(await answer.json()).toMatchObject({ code: 'cart_empty' })
})

test('creates one order for a double click on "Check out"', async () => {
  const buyer = await shop.buyer()
  await buyer.put('thyme-tea', 1)
  const [one, two] = await Promise.all([buyer.placeOrder(), buyer.placeOrder()])
  expect(one).toBe(two)
  expect(await buyer.orders()).toHaveLength(1)
})

test('keeps the price list of a placed order', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea', 2)
  await buyer.send('/api/preferences', { method: 'PUT', body: { currency: 'EUR' } })
  expect((await buyer.order(orderId)).amount).toBe('֏4,800')
})

test('rejects changes from pages of other sites', async () => {
  const buyer = await shop.buyer()
  const body = { quantity: 1 }
  for (const headers of [
    { origin: 'http://evil.localhost' },
    { origin: `${shop.url}.evil.localhost` },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await buyer.send('/api/cart/thyme-tea', { method: 'PUT', body, headers })
    expect(answer.status, JSON.stringify(headers)).toBe(403)
  }
  const headers = { 'content-type': 'text/plain' }
  const form = await buyer.send('/api/cart/thyme-tea', { method: 'PUT', body, headers })
  expect(form.status).toBe(415)
  expect((await buyer.cart()).lines).toEqual([])
})

test('renews the session with each page', async () => {
  const buyer = await shop.buyer()
  const session = buyer.cookie('sid')
  const page = await buyer.send('/cart')
  expect(page.headers.getSetCookie()).toEqual([
    expect.stringMatching(`^sid=${session}; Max-Age=2592000; Path=/;`),
  ])
})

test('reports a missing cookie', async () => {
  const buyer = await shop.buyer()
  buyer.dropCookie('sid')
  const answer = await buyer.send('/api/cart')
  expect(answer.status).toBe(403)
  expect(await answer.json()).toMatchObject({ code: 'no_session' })
})

test('redirects from another loopback name to the shop’s origin', async () => {
  const url = `${shop.url.replace('localhost', '127.0.0.1')}/cart?from=mail`
  const [answer] = await once(get(url, { headers: { 'sec-fetch-mode': 'navigate' } }), 'response')
  answer.resume()
  expect([answer.statusCode, answer.headers.location]).toEqual([307, `${shop.url}/cart?from=mail`])
})
