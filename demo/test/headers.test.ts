import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionsAt } from '../server/session.ts'
import { checkoutOrigin, startShop, type TestShop } from './shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await startShop()
})
afterAll(() => shop.close())

test('sends the headers of the security guide with every page', async () => {
  const guide = readFileSync(new URL('../../.github/SECURITY.md', import.meta.url), 'utf8')
  const [, block = ''] = /<!-- headers -->\n\n```\n([\s\S]*?)\n```/.exec(guide) ?? []
  const lines = block.split('\n').map((line) => line.split(/: (.*)/s).slice(0, 2))
  const expected = new Map(lines as [string, string][])
  const policy = expected
    .get('Content-Security-Policy')
    ?.replace('CHECKOUT', checkoutOrigin)
    // The element comes from the checkout, and the shop receives no reports.
    .replace("script-src 'self'", `script-src 'self' ${checkoutOrigin}`)
    .replace('; report-to csp', '')
  expected.set('Content-Security-Policy', policy ?? '').delete('Reporting-Endpoints')
  expect(expected.size).toBe(6)
  const { buyer, orderId } = await shop.order()
  const paths = ['/', '/cart', `/orders/${orderId}`, `/pay/${orderId}`, '/nowhere']
  for (const path of [...paths, '/staff']) {
    const { headers } = await buyer.send(path)
    const sent = new Map([...expected.keys()].map((name) => [name, headers.get(name)]))
    expect(sent, path).toEqual(expected)
    expect(headers.get('x-powered-by')).toBeNull()
  }
  const secure = await startShop('https://shop.example')
  expect((await fetch(secure.url)).headers.get('strict-transport-security')).toMatch(/^max-age/)
  await secure.close()
})

test('the session cookie has the __Host- prefix on https, and none on loopback', async () => {
  const cookieOf = (origin: string): unknown[] => {
    const set: unknown[] = []
    const res = { cookie: (...args: unknown[]) => set.push(...args) }
    sessionsAt(origin).start({ headers: {} } as never, res as never, () => {})
    return set
  }
  const random = expect.stringMatching(/^.{43}$/)
  expect(cookieOf('https://shop.example')).toMatchObject(['__Host-sid', random, { secure: true }])
  expect(cookieOf('http://localhost:3000')).toMatchObject(['sid', random, { secure: false }])
  const { of } = sessionsAt('https://shop.example')
  const value = 'x'.repeat(43)
  expect(of({ headers: { cookie: `sid=${value}` } })).toBeUndefined()
  const session = of({ headers: { cookie: `a=b; __Host-sid=${value}` } })
  expect(session).toMatch(/^[\w-]{43}$/)
  expect(session).not.toContain('xxx')
})
