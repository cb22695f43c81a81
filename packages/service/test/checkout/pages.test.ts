import { request } from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type RunningCheckout, startCheckout } from '../support/checkout.ts'

const shop = 'https://shop.example'
const neighbour = 'https://books.example'
let checkout: RunningCheckout

beforeAll(async () => {
  checkout = await startCheckout()
  await checkout.registerOrigin(shop)
  await checkout.registerOrigin('http://localhost:3000')
  await checkout.registerOrigin(neighbour, 'env_other')
})
afterAll(async () => await checkout.close())

async function pageFor(id: string, referer?: string): Promise<Response> {
  return await fetch(`${checkout.url}/checkout/${id}`, { headers: referer ? { referer } : {} })
}

function ancestorsOf(response: Response): string | undefined {
  return /frame-ancestors ([^;]*)/.exec(response.headers.get('content-security-policy') ?? '')?.[1]
}

test('the hosted page has exactly the headers that protect it', async () => {
  const { id } = await checkout.createIntent()
  const { headers } = await pageFor(id, `${shop}/`)
  const found = Object.fromEntries(headers)
  expect(found).toMatchObject({
    'content-security-policy':
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
      `frame-src ${checkout.challengeUrl}; form-action 'self' ${checkout.challengeUrl}; ` +
      "base-uri 'none'; object-src 'none'; " +
      `frame-ancestors ${shop} http://localhost:3000; ` +
      "require-trusted-types-for 'script'; trusted-types lit-html; report-to csp",
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=()',
    'reporting-endpoints': `csp="${checkout.url}/checkout-api/reports"`,
    'origin-agent-cluster': '?1',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  })
  for (const name of ['x-frame-options', 'cross-origin-embedder-policy', 'set-cookie', 'etag']) {
    expect(found[name], name).toBeUndefined()
  }
})

test('the hosted page carries the registered origins and nothing of the intent', async () => {
  const { id, clientSecret } = await checkout.createIntent({ orderId: 'TOP-SECRET-7' })
  const html = await (await pageFor(id)).text()
  expect(html).toContain(`data-origins="${shop} http://localhost:3000"`)
  for (const text of [id, clientSecret, 'TOP-SECRET-7', 'Ararat', '150000']) {
    expect(html).not.toContain(text)
  }
})

test('an unknown id gets one error page for every Referer, without a look at origins (threat 56)', async () => {
  const pages = new Set<string>()
  for (const id of ['pi_000000000000000000000000', 'a%2fb', 'x'.repeat(129), '%00']) {
    for (const referer of [undefined, `${shop}/`, `${neighbour}/pay`, 'https://evil.example/']) {
      const queries = vi.spyOn(checkout.db, 'query')
      const response = await pageFor(id, referer)
      // The request log reads the environments of earlier pages in the meantime; no query names an origin.
      const values = queries.mock.calls.flatMap(([, ...bound]) => bound.map(String))
      expect(values.filter((value) => value.startsWith('http'))).toEqual([])
      queries.mockRestore()
      const { date, 'request-id': _, ...headers } = Object.fromEntries(response.headers)
      expect(date).toBeDefined()
      pages.add(JSON.stringify([response.status, headers, await response.text()]))
    }
  }
  const [page = ''] = pages
  expect(pages.size).toBe(1)
  expect(page).toContain('data-code=\\"unauthorized\\"')
  expect(page).toContain("form-action 'none'")
  expect(page).toContain('frame-ancestors *')
  expect(page).not.toMatch(/<form|<input|data-origins/)
})

test('shows a page of an unregistered origin an error, without a form and without data', async () => {
  const { id } = await checkout.createIntent()
  for (const referer of [
    'https://evil.example/',
    'http://shop.example/',
    'https://a.shop.example/',
    // Registered, but for another environment: the page must not tell.
    `${neighbour}/pay`,
  ]) {
    const response = await pageFor(id, referer)
    const html = await response.text()
    expect(ancestorsOf(response)).toBe('*')
    expect(response.headers.get('content-security-policy')).toContain("form-action 'none'")
    expect(html).toContain('data-code="origin_not_allowed"')
    expect(html).not.toMatch(/<form|<input|data-origins/)
  }
})

test('a page that loads itself again keeps its own origins', async () => {
  const { id } = await checkout.createIntent()
  const response = await pageFor(id, `${checkout.url}/checkout/${id}`)
  expect(ancestorsOf(response)).toBe(`${shop} http://localhost:3000`)
})

test('rejects a foreign host name that points at loopback (threat 17)', async () => {
  const { id } = await checkout.createIntent()
  for (const [origin, path] of [
    [checkout.url, `/checkout/${id}`],
    [checkout.url, '/checkout-api/intent'],
    [checkout.challengeUrl, '/challenge'],
  ] as const) {
    for (const host of ['evil.localhost', 'evil.example:80', '127.0.0.1:1', '']) {
      expect(await statusFor({ origin, path, host }), `${host}${path}`).toBe(400)
    }
  }
})

test('the built scripts and styles are served for good, and the bare pages are not', async () => {
  const html = await (await pageFor((await checkout.createIntent()).id)).text()
  const assets = [...html.matchAll(/(?:src|href)="(\/checkout-assets\/[^"]+)"/g)].map(
    ([, path]) => path,
  )
  expect(assets.length).toBeGreaterThan(1)
  for (const path of assets) {
    const response = await fetch(`${checkout.url}${path}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  }
  for (const path of ['/checkout-assets/', '/checkout-assets/checkout.html', '/checkout.html']) {
    expect((await fetch(`${checkout.url}${path}`)).status, path).toBe(404)
  }
})

test('no key, no validation library and no source map is in what browsers load (threat 1)', async () => {
  const html = await (await pageFor((await checkout.createIntent()).id)).text()
  for (const [, path] of html.matchAll(/src="([^"]+)"/g)) {
    const script = await (await fetch(`${checkout.url}${path}`)).text()
    expect(script).not.toContain('pi_sk_')
    expect(script).not.toMatch(/ZodError|sourceMappingURL/)
  }
})

/** Node's fetch sets `Host` by itself; a socket says what it likes. */
async function statusFor({
  origin,
  path,
  host,
}: {
  readonly origin: string
  readonly path: string
  readonly host: string
}): Promise<number | undefined> {
  const { hostname, port } = new URL(origin)
  return await new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { host }, setHost: false }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
      .on('error', reject)
      .end()
  })
}
