import { once } from 'node:events'
import { get } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newOrderNumber } from '../server/orders.ts'
import { startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('the catalogue has eight products, each with a picture and a price', async () => {
  const buyer = await shop.buyer()
  const products = await buyer.catalogue()
  expect(products).toHaveLength(8)
  for (const { id, price } of products) {
    expect(price).toMatch(/^֏\d/)
    const picture = await buyer.send(`/pictures/${id}.svg`)
    expect(picture.headers.get('content-type')).toContain('image/svg+xml')
  }
})

test('shows formatted prices of separate lists, not converted ones', async () => {
  const buyer = await shop.buyer()
  const priceOf = async (currency: string, language: string): Promise<string | undefined> => {
    await buyer.submit('/preferences', { currency, language })
    return (await buyer.catalogue()).find(({ id }) => id === 'lori-honey')?.price
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
  await buyer.submit('/preferences', { language: 'ru' })
  expect(await (await buyer.send('/', { headers })).text()).toContain('<html lang="ru"')
})

test('leads back to the page of a form, and to no other site', async () => {
  const buyer = await shop.buyer()
  const to = async (back: string): Promise<[number, string | null]> => {
    const form = { language: 'en', back }
    const { status, headers } = await buyer.send('/preferences', { method: 'POST', form })
    return [status, headers.get('location')]
  }
  expect(await to('/orders/TS-234679')).toEqual([303, '/orders/TS-234679'])
  for (const back of ['https://evil.example', '//evil.example', '/\\evil.example', '/x?y', '']) {
    expect(await to(back), back).toEqual([400, null])
  }
})

test('stores valid cart lines and rejects invalid ones', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 2)
  await buyer.put('thyme-tea', 1)
  await buyer.put('thyme-tea', 0)
  const cart = await buyer.cart()
  expect(cart).toMatchObject({
    lines: [{ product: 'lori-honey', quantity: 2 }],
    total: '֏9,800',
    pieces: 2,
  })
  for (const [form, status] of [
    [{ product: 'moon-rock', quantity: 1 }, 404],
    [{ product: 'thyme-tea', quantity: 21 }, 400],
    [{ product: 'thyme-tea', quantity: -1 }, 400],
    [{ product: 'thyme-tea', quantity: 1.5 }, 400],
    [{ product: 'thyme-tea', quantity: 'one' }, 400],
    [{ product: 'thyme-tea', quantity: 1, price: 1 }, 400],
    [{ product: 'thyme-tea' }, 400],
  ] as const) {
    expect((await buyer.send('/cart', { method: 'POST', form })).status).toBe(status)
  }
  expect(await buyer.cart()).toEqual(cart)
})

test('rejects a change that is based on another quantity than the cart has', async () => {
  const buyer = await shop.buyer()
  await buyer.put('lori-honey', 2)
  const change = async (quantity: number, was: number): Promise<number> => {
    await buyer.submit('/cart', { product: 'lori-honey', quantity, was })
    return (await buyer.cart()).pieces
  }
  expect(await change(3, 1)).toBe(2)
  expect(await change(3, 2)).toBe(3)
})

test('creates no order for an empty cart', async () => {
  const buyer = await shop.buyer()
  const response = await buyer.send('/orders', { method: 'POST', form: {} })
  expect([response.status, response.headers.get('location')]).toEqual([303, '/cart'])
  expect(await buyer.orders()).toEqual([])
})

test('creates one order for a double click on "Check out", with a number for people', async () => {
  const buyer = await shop.buyer()
  await buyer.put('thyme-tea', 1)
  const [one, two] = await Promise.all([buyer.placeOrder(), buyer.placeOrder()])
  // Without vowels, and without characters that look alike.
  expect(one).toMatch(/^TS-[2346789BCDFGHJKMPQRTVWXY]{6}$/)
  expect(one).toBe(two)
  expect(await buyer.orders()).toEqual([{ id: one, state: 'open' }])
})

test('gives no order the number of another one', async () => {
  const { orderId } = await shop.order('thyme-tea')
  const digits = [...orderId.slice(3)].map((digit) => '2346789BCDFGHJKMPQRTVWXY'.indexOf(digit))
  const random = (): number => digits.shift() ?? 0
  expect(newOrderNumber(shop.db, random)).toBe('TS-222222')
})

test('lists orders with the names of their items, the number, the date, and the total', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea', 2)
  const page = await (await buyer.send('/orders')).text()
  expect(page).toContain('<strong>Mountain thyme tea × 2</strong>')
  expect(page).toContain('src="/pictures/thyme-tea.svg"')
  expect(page).toContain(`<bdi class="order-id">${orderId}</bdi>`)
  expect(page).toContain(
    new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'Asia/Yerevan' }).format(),
  )
  expect(page).toContain('<span class="money">֏4,800</span>')
})

test('keeps the price list of a placed order', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea', 2)
  await buyer.submit('/preferences', { currency: 'EUR' })
  expect((await buyer.order(orderId)).amount).toBe('֏4,800')
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
    const response = await buyer.send('/cart', { method: 'POST', form, headers })
    expect(response.status, JSON.stringify(headers)).toBe(403)
  }
  const headers = { 'content-type': 'text/plain' }
  expect((await buyer.send('/cart', { method: 'POST', form, headers })).status).toBe(415)
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

test('explains a missing cookie, and a page that does not exist, with the same header', async () => {
  const buyer = await shop.buyer()
  const missing = await buyer.send('/nowhere')
  expect(missing.status).toBe(404)
  const page = await missing.text()
  expect(page).toContain('Page not found')
  expect(page).toContain('data-testid="cart-count"')
  buyer.dropCookie('sid')
  const form = { product: 'thyme-tea', quantity: 1 }
  const rejected = await buyer.send('/cart', { method: 'POST', form })
  expect(rejected.status).toBe(403)
  expect(await rejected.text()).toContain('The cart needs cookies')
})

test.each([
  ['en', 'The shop could not read this request.'],
  ['ru', 'Магазин не смог прочитать этот запрос.'],
  ['hy', 'Խանութը չկարողացավ կարդալ այս հարցումը։'],
])('explains an invalid form in %s', async (language, text) => {
  const buyer = await shop.buyer()
  await buyer.submit('/preferences', { language })
  const response = await buyer.send('/cart', { method: 'POST', form: { product: 'thyme-tea' } })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain(text)
})

test.each(['/nowhere', '/a/b/c', '/page.html', '/orders/TS-222222/x'])(
  'the language can be changed on the missing page %s',
  async (path) => {
    const buyer = await shop.buyer()
    const page = await (await buyer.send(path)).text()
    expect(page).not.toContain(path)
    const [, back = ''] = /name="back" value="([^"]*)"/.exec(page) ?? []
    const { status } = await buyer.submit('/preferences', { language: 'ru', back })
    expect(status).toBe(200)
  },
)

test('every page has a description, a picture for links, and an icon', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  for (const path of ['/', '/cart', '/orders', `/orders/${orderId}`, `/pay/${orderId}`]) {
    const page = await (await buyer.send(path)).text()
    expect(page, path).toMatch(/<meta name="description" content="[^"]{30,}">/)
    const [, picture = ''] = /property="og:image" content="([^"]+)"/.exec(page) ?? []
    expect((await fetch(picture)).headers.get('content-type')).toBe('image/png')
  }
  const icon = await buyer.send('/favicon.ico')
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon'])
})

test('redirects from another loopback name to the shop’s origin', async () => {
  const url = `${shop.url.replace('localhost', '127.0.0.1')}/cart?from=mail`
  const [response] = await once(get(url, { headers: { 'sec-fetch-mode': 'navigate' } }), 'response')
  response.resume()
  expect([response.statusCode, response.headers.location]).toEqual([
    307,
    `${shop.url}/cart?from=mail`,
  ])
})
