import { rawRequest } from '@pi-checkout/test-support/raw-http'
import { expect, test } from 'vitest'
import { startTestService } from '../support/service.ts'

const service = await startTestService({}, { flags: { shopOrigin: ['https://shop.example'] } })
const { id } = await service.created()
const hostedPage = await fetch(`${service.url}/checkout/${id}`)
const hostedPolicy = hostedPage.headers.get('content-security-policy') ?? ''
const [, bank = ''] = /frame-src ([^\s;]+)/.exec(hostedPolicy) ?? []
await hostedPage.body?.cancel()

const nothing = "default-src 'none'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
const bySite = "frame-ancestors 'none'"
const byShops = 'frame-ancestors http://localhost:3000 https://shop.example'
const byCheckout = `frame-ancestors ${service.url}`

/** Of each kind of response: its status, a part of its policy, its caching, and `X-Frame-Options`. */
const responses = [
  [`GET /payment-intents/${id}`, 200, nothing, 'no-store', 'DENY'],
  ['GET /payment-intents/pi_x', 404, nothing, 'no-store', 'DENY'],
  ['DELETE /payment-intents', 405, nothing, 'no-store', 'DENY'],
  ['OPTIONS /checkout-api/session', 403, nothing, 'no-store', 'DENY'],
  ['GET /checkout-api/intent', 401, nothing, 'no-store', 'DENY'],
  ['GET /openapi.json', 200, nothing, 'no-store', 'DENY'],
  ['GET /healthz', 200, nothing, 'no-store', 'DENY'],
  ['GET /readyz', 200, nothing, 'no-store', 'DENY'],
  ['GET /nowhere', 404, nothing, 'no-store', 'DENY'],
  [`GET /checkout/${id}`, 200, byShops, 'no-store', null],
  ['GET /checkout/pi_x', 200, 'frame-ancestors *', 'no-store', null],
  ['GET /', 200, bySite, 'no-store', 'DENY'],
  ['GET /docs', 200, bySite, 'no-store', 'DENY'],
  ['GET /_sandbox/', 200, bySite, 'no-store', 'DENY'],
  ['GET /v1/pi-checkout.js', 200, null, 'public, max-age=60, stale-while-revalidate=86400', null],
  [`POST ${bank}/challenge`, 200, byCheckout, 'no-store', null],
  [`POST ${bank}/bank`, 200, bySite, 'no-store', 'DENY'],
  [`GET ${bank}/nowhere`, 404, nothing, 'no-store', 'DENY'],
] as const

test.each(responses)('protects %s', async (route, status, policy, caching, framing) => {
  const [method = '', target = ''] = route.split(' ')
  const authorization = { authorization: `Bearer ${service.apiKey}` }
  const headers = target.startsWith('/payment-intents') ? authorization : {}
  const response = await fetch(new URL(target, service.url), { method, headers })
  await response.body?.cancel()
  const sent = response.headers
  expect(response.status).toBe(status)
  if (policy === null) expect(sent.get('content-security-policy')).toBeNull()
  else expect(`${sent.get('content-security-policy')};`).toContain(`${policy};`)
  expect(sent.get('cache-control')).toBe(caching)
  expect(sent.get('x-frame-options')).toBe(framing)
  expect(sent.get('x-content-type-options')).toBe('nosniff')
  // Only the element's own file is for pages of other origins.
  const isShared = target === '/v1/pi-checkout.js'
  expect(sent.get('access-control-allow-origin')).toBe(isShared ? '*' : null)
  expect(sent.get('cross-origin-resource-policy')).toBe(isShared ? 'cross-origin' : 'same-origin')
  if (policy !== null) expect(sent.get('referrer-policy')).toBe('no-referrer')
  if (sent.get('content-type')?.startsWith('text/html')) {
    expect(sent.get('content-security-policy')).toContain("script-src 'self'")
    expect(sent.get('content-security-policy')).toContain("require-trusted-types-for 'script'")
    expect(sent.get('permissions-policy')).toContain('camera=(), microphone=(), geolocation=()')
  }
})

test('shows a browser a page with a way on at an unknown address, and other clients the problem', async () => {
  const open = async (path: string): Promise<Response> =>
    await fetch(service.url + path, { headers: { accept: 'text/html,*/*;q=0.8' } })
  const [lost, api] = [await open('/nowhere'), await open('/payment-intents/x/y')]
  expect([lost.status, api.status]).toEqual([404, 404])
  const page = await lost.text()
  expect(page).toContain('<h1>This address does not exist</h1>')
  expect(page).toContain('<a href="/docs">Documentation</a>')
  expect(await api.json()).toMatchObject({ code: 'not_found' })
  expect(lost.headers.get('content-security-policy')).toContain(bySite)
})

test('compresses the hosted page for a browser, and not for a client that does not ask for it', async () => {
  const { host, port } = new URL(service.url)
  const get = async (encoding: string): Promise<string> => {
    const head = [`GET /checkout/${id} HTTP/1.1`, `Host: ${host}`, `Accept-Encoding: ${encoding}`]
    return await rawRequest(port, [...head, 'Connection: close', '', ''])
  }
  const [plain, compressed] = [await get('identity'), await get('gzip, deflate, br')]
  expect(plain).not.toMatch(/^content-encoding/m)
  expect(plain).toContain('</html>')
  expect(compressed).toMatch(/^content-encoding: gzip\r$/m)
  expect(compressed).toMatch(/^vary: accept-encoding\r$/m)
  expect(compressed.length).toBeLessThan(plain.length / 2)
  // `fetch` decompresses.
  expect(await (await fetch(`${service.url}/checkout/${id}`)).text()).toContain('</html>')
})

test('rejects an origin that does not fit in a response header, and says what to do', async () => {
  const origins = `/environments/${service.environmentId}/origins`
  const add = async (number: number) => {
    const origin = `https://shop-${number}.example.com`
    const added = await service.control('POST', origins, { origin })
    return (await added.json()) as { readonly detail?: string; readonly origins?: string[] }
  }
  const results = await Promise.all(Array.from({ length: 200 }, (_, number) => add(number)))
  const rejected = results.filter(({ detail }) => detail)
  expect([rejected.length > 20, rejected.length < 100]).toEqual([true, true])
  expect(rejected[0]?.detail).toBe(
    'origin: the origins of an environment must have at most 4000 characters together, because a response header lists them. Remove one with pi-service origins remove.',
  )
  await service.control('DELETE', `${origins}?origin=https://shop-0.example.com`)
  expect((await add(0)).origins).toContain('https://shop-0.example.com')
})
