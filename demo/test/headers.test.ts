import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionsAt } from '../server/session.ts'
import { checkoutOrigin, startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('sends the headers of the security guide with every page (threats 40, 51)', async () => {
  const guide = readFileSync(new URL('../../.github/SECURITY.md', import.meta.url), 'utf8')
  const [, block = ''] = /<!-- headers -->\n\n```\n([\s\S]*?)\n```/.exec(guide) ?? []
  const listed = block.replaceAll('CHECKOUT', checkoutOrigin).replaceAll('SHOP', shop.url)
  const expected = listed.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))
  expect(expected).toHaveLength(7)
  const { buyer, orderId } = await shop.order('thyme-tea')
  const paths = ['/', '/cart', '/orders', `/orders/${orderId}`, `/pay/${orderId}`, '/nowhere']
  for (const path of paths) {
    const { headers } = await buyer.send(path)
    expect(expected.map(([name = '']) => [name, headers.get(name)])).toEqual(expected)
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

test('lets browsers keep scripts, styles, fonts, and pictures', async () => {
  const buyer = await shop.buyer()
  const page = await (await buyer.send('/')).text()
  const [, script = ''] = /<script type="module" src="([^"]+)"/.exec(page) ?? []
  for (const [path, caching] of [
    [script, 'public, max-age=31536000, immutable'],
    ['/pictures/mark.svg', 'public, max-age=3600'],
    ['/favicon.ico', 'public, max-age=3600'],
  ] as const) {
    expect((await buyer.send(path)).headers.get('cache-control'), path).toBe(caching)
  }
})

test('sends Strict-Transport-Security on https only', async () => {
  const secure = await startShop({ shopOrigin: 'https://shop.example' })
  const rule = async ({ url }: TestShop): Promise<string | null> =>
    (await fetch(url)).headers.get('strict-transport-security')
  try {
    expect(await rule(secure)).toBe('max-age=31536000; includeSubDomains')
    expect(await rule(shop)).toBeNull()
  } finally {
    await secure.close()
  }
})

test('no page has an inline script, a style, or a secret', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const { clientSecret } = await buyer.handoff(orderId)
  for (const path of ['/', '/cart', `/orders/${orderId}`, `/pay/${orderId}`]) {
    const html = await (await buyer.send(path)).text()
    expect(html).not.toContain(clientSecret)
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/)
  }
})

test('compresses pages, and no response with a secret', async () => {
  const { buyer, orderId } = await shop.order('thyme-tea')
  const headers = { 'accept-encoding': 'br, gzip' }
  const encodings = async (path: string, init: object = {}): Promise<string | null> =>
    (await buyer.send(path, { ...init, headers })).headers.get('content-encoding')
  for (const path of ['/', `/pay/${orderId}`, '/pictures/valley.svg']) {
    expect(await encodings(path), path).toBe('br')
  }
  expect(await encodings('/checkout/handoff', { method: 'POST', body: { orderId } })).toBeNull()
})

test('the session cookie has the __Host- prefix on https, and none on loopback (threat 37)', async () => {
  const cookieOf = (origin: string): unknown[] => {
    const set: unknown[] = []
    const res = { cookie: (...args: unknown[]) => set.push(...args) }
    sessionsAt(origin).start({ headers: {} } as never, res as never, () => {})
    return set
  }
  expect(cookieOf('https://shop.example')).toMatchObject([
    '__Host-sid',
    expect.stringMatching(/^.{43}$/),
    { secure: true },
  ])
  expect(cookieOf('http://localhost:3000')).toMatchObject([
    'sid',
    expect.stringMatching(/^.{43}$/),
    { secure: false },
  ])
  const { of } = sessionsAt('https://shop.example')
  const value = 'x'.repeat(43)
  expect(of({ headers: { cookie: `sid=${value}` } })).toBeUndefined()
  expect(of({ headers: { cookie: `a=b; __Host-sid=${value}` } })).toMatch(/^[\w-]{43}$/)
  expect(of({ headers: { cookie: `__Host-sid=${value}` } })).not.toContain('xxx')
})

test('accepts a report of a policy violation with 204', async () => {
  const buyer = await shop.buyer()
  const body = '{"not":"a report"}'
  const headers = { 'content-type': 'application/reports+json', origin: '' }
  const response = await buyer.send('/reports', { method: 'POST', body, headers })
  expect(response.status).toBe(204)
})
