import { expect, test } from 'vitest'
import { readPage } from '../../src/checkout/pages.ts'
import { order, problemOf, sendRaw, startTestService } from '../support/service.ts'

const shop = 'https://shop.example'
const neighbor = 'https://books.example'
const registered = `http://localhost:3000 ${shop}`
const service = await startTestService({}, { flags: { shopOrigin: [shop] } })
await service.newKey('Sevan Books')
await service.changeOrigin('add', neighbor, { merchant: 'Sevan Books' })

async function pageFor(id: string, referer?: string): Promise<Response> {
  return await fetch(`${service.url}/checkout/${id}`, { headers: referer ? { referer } : {} })
}

const ancestorsOf = ({ headers }: Response): string | undefined =>
  /frame-ancestors ([^;]*)/.exec(headers.get('content-security-policy') ?? '')?.[1]

test('includes the registered origins in the hosted page, and no data of the intent', async () => {
  const { id, clientSecret } = await service.created({ ...order, orderId: 'TOP-SECRET-7' })
  const html = await (await pageFor(id)).text()
  const [, now = ''] = /data-origins="[^"]*" data-mode="test" data-now="([^"]*)"/.exec(html) ?? []
  expect(Math.abs(Date.parse(now) - Date.now())).toBeLessThan(60_000)
  expect(html).toMatch(/^<!doctype html>/i)
  expect(html).toContain(`data-origins="${registered}"`)
  for (const text of [id, clientSecret, 'TOP-SECRET-7', 'Tsiran', '150000']) {
    expect(html).not.toContain(text)
  }
})

test('shows one error page for unknown ids, in the page of any site', async () => {
  const pages = new Set<string>()
  for (const id of ['pi_000000000000000000000000', 'a%2fb', 'x'.repeat(129), '%00']) {
    for (const referer of [undefined, `${shop}/`, `${neighbor}/pay`, 'https://evil.example/']) {
      const response = await pageFor(id, referer)
      const { date, 'request-id': _, ...headers } = Object.fromEntries(response.headers)
      expect(date).toBeDefined()
      pages.add(JSON.stringify([response.status, headers, await response.text()]))
    }
  }
  const [page = ''] = pages
  expect(pages.size).toBe(1)
  expect(page).toContain('data-code=\\"unauthorized\\" data-mode=\\"\\"')
  expect(page).toContain("form-action 'none'")
  expect(page).toContain('frame-ancestors *')
  expect(page).not.toMatch(/<form|<input|data-origins/)
})

test.each([
  'https://evil.example/',
  'http://shop.example/',
  'https://a.shop.example/',
  // Registered for another environment, which the page must not reveal.
  `${neighbor}/pay`,
])('shows an error without a form in a page of %s', async (referer) => {
  const { id } = await service.created()
  const response = await pageFor(id, referer)
  const html = await response.text()
  expect(ancestorsOf(response)).toBe('*')
  expect(response.headers.get('content-security-policy')).toContain("form-action 'none'")
  expect(html).toContain('data-code="origin_not_allowed" data-mode="test"')
  expect(html).not.toMatch(/<form|<input|data-origins/)
})

test('keeps the registered origins when the page reloads itself, or without a valid Referer', async () => {
  const { id } = await service.created()
  for (const referer of [`${service.url}/checkout/${id}`, 'shop', undefined]) {
    const response = await pageFor(id, referer)
    expect(ancestorsOf(response)).toBe(registered)
  }
})

test('rejects another Host for pages, private APIs, and the test bank', async () => {
  const { headers } = await pageFor((await service.created()).id)
  const [, bank] = /frame-src (\S+?)[ ;]/.exec(`${headers.get('content-security-policy')}`) ?? []
  const own = ['/checkout/pi_x', '/checkout-api/intent', '/_sandbox/environments']
  for (const address of [...own.map((path) => service.url + path), `${bank}/challenge`]) {
    for (const host of ['evil.localhost', 'evil.example:80', '127.0.0.1:1', '']) {
      const authorization = `Authorization: Bearer ${service.ready.adminToken}`
      const lines = [`GET ${new URL(address).pathname} HTTP/1.1`, `Host: ${host}`, authorization]
      const problem = await problemOf(await sendRaw(address, lines))
      expect(problem, `${address} ${host}`).toMatch(/^400 invalid_h(?:ost|eader)$/)
    }
  }
})

test('serves scripts for good, without keys, validation library, or source map', async () => {
  const html = await (await pageFor((await service.created()).id)).text()
  const assets = [...html.matchAll(/(?:src|href)="(\/checkout-assets\/[^"]+)"/g)]
  expect(assets.length).toBeGreaterThan(1)
  for (const [, path] of assets) {
    const asset = await fetch(`${service.url}${path}`)
    const cached = 'public, max-age=31536000, immutable'
    expect([asset.status, asset.headers.get('cache-control')]).toEqual([200, cached])
    expect(await asset.text()).not.toMatch(/pi_sk_|ZodError|sourceMappingURL/)
  }
})

test('names the command that builds the pages if they are missing', () => {
  const fix = 'The hosted pages are not built. Run `npm run build`, then start again.'
  expect(() => readPage('missing')).toThrow(fix)
})
