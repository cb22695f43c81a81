import type { Handoff } from '@pi-checkout/test-support/http-buyer'
import { expect, test } from 'vitest'
import type { SessionGrant } from '../../shared/checkout-api.ts'
import { problemOf, startTestService } from '../support/service.ts'

const shop = 'https://shop.example'
const returnUrl = `${shop}/orders/A-1?from=checkout`
const service = await startTestService({}, { flags: { shopOrigin: [shop] } })
await service.newKey('Sevan Books')
await service.changeOrigin('add', 'https://books.example', { merchant: 'Sevan Books' })

/** Posts the form of a shop's page. */
async function open(
  { id, clientSecret }: Handoff,
  fields: Readonly<Record<string, string>> = {},
  headers: Readonly<Record<string, string>> = { origin: shop },
): Promise<Response> {
  return await fetch(`${service.url}/checkout/${id}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ clientSecret, returnUrl, ...fields }),
    redirect: 'manual',
  })
}

const cookieOf = ({ headers }: Response): string =>
  headers.get('set-cookie')?.split(';', 1)[0] ?? ''

async function show(path: string, cookie = ''): Promise<Response> {
  return await fetch(service.url + path, { headers: { cookie }, redirect: 'manual' })
}

async function view(token = ''): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` }
  return await fetch(`${service.url}/checkout-api/intent`, { headers })
}

async function openSession(id: string, headers: Record<string, string>): Promise<Response> {
  return await fetch(`${service.url}/checkout/${id}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url, ...headers },
    body: '{}',
  })
}

test('opens the page with an address without a credential, and its session with a cookie', async () => {
  const pair = await service.created()
  const opened = await open(pair, { locale: 'hy', appearance: '{"accent":"#ad4318"}' })
  expect(opened.status).toBe(303)
  const attributes = `Path=/checkout/${pair.id}; Max-Age=3600; HttpOnly; SameSite=Lax`
  const kept = new RegExp(`^pi-checkout=[\\w.-]+; ${attributes}$`)
  expect(opened.headers.get('set-cookie')).toMatch(kept)
  const location = opened.headers.get('location') ?? ''
  const cookie = cookieOf(opened)
  for (const text of [location, cookie]) {
    expect(decodeURIComponent(text)).not.toContain(pair.clientSecret.split('_secret_')[1])
  }
  const shown = await show(location, `theme=dark; ${cookie}`)
  expect(shown.status).toBe(200)
  const html = await shown.text()
  expect(html).toContain(`data-return="${returnUrl}" data-locale="hy"`)
  expect(html).toContain('data-appearance="{&#34;accent&#34;:&#34;#ad4318&#34;}"')
  expect(shown.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(Object.fromEntries(shown.headers)).toMatchObject({
    'cache-control': 'no-store',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
  })
  // A sibling host may have planted another one.
  const planted = { cookie: `pi-checkout=planted; ${cookie}` }
  const grant = (await (await openSession(pair.id, planted)).json()) as SessionGrant
  expect(grant.intent).toMatchObject({ id: pair.id, status: 'requires_payment_method' })
  expect((await view(grant.token)).status).toBe(200)
})

test('leads back to the shop without the cookie of this checkout', async () => {
  const [pair, other] = [await service.created(), await service.created()]
  const opened = await open(pair)
  const location = opened.headers.get('location') ?? ''
  const cookies = ['', 'pi-checkout=', 'pi-checkout=x.y.z', cookieOf(await open(other))]
  for (const cookie of cookies) {
    const response = await show(location, cookie)
    expect([response.status, response.headers.get('location')]).toEqual([303, returnUrl])
    expect(await problemOf(await openSession(pair.id, { cookie }))).toBe('401 invalid_session')
  }
  const cookie = cookieOf(opened)
  // The cookie opens the session for the page's own origin only, and is no token of the private API.
  const foreign = await openSession(pair.id, { cookie, origin: shop })
  expect(await problemOf(foreign)).toBe('403 origin_not_allowed')
  expect(await problemOf(await view(cookie.split('=')[1]))).toBe('401 invalid_session')
  await service.revokeSecret(pair.id)
  expect(await problemOf(await openSession(pair.id, { cookie }))).toBe('401 invalid_session')
})

test.each([
  'https://evil.example/orders/A-1',
  'https://books.example/orders/A-1',
  'https://shop.example/\r\nx-injected: 1',
  '',
])('returns to no other address than a registered one: %.60s', async (forged) => {
  const pair = await service.created()
  const refused = await open(pair, { returnUrl: forged })
  const cookie = cookieOf(await open(pair))
  const query = new URLSearchParams({ return: forged })
  for (const response of [refused, await show(`/checkout/${pair.id}/page?${query}`, cookie)]) {
    expect(response.status).toBe(403)
    expect(response.headers.get('location')).toBeNull()
    expect(response.headers.get('set-cookie')).toBeNull()
    const html = await response.text()
    expect(html).toContain('data-code="origin_not_allowed"')
    if (forged) expect(html).not.toContain(forged.slice(8))
  }
})

test.each([
  ['a page of another site', { origin: 'https://evil.example' }, {}, 403],
  ['a page that hides its origin', { origin: 'null' }, {}, 403],
  ['no browser', {}, {}, 403],
  ['a form with a wrong secret', { origin: shop }, { clientSecret: 'pi_1_secret_x' }, 404],
  ['a form without a secret', { origin: shop }, { clientSecret: '' }, 404],
  ['an unknown intent', { origin: shop }, { id: 'pi_000000000000000000000000' }, 404],
  ['what is no form', { origin: shop, 'content-type': 'application/json' }, {}, 415],
] as const)('opens nothing for %s', async (_, headers, fields, status) => {
  const response = await open({ ...(await service.created()), ...fields }, fields, headers)
  expect(response.status).toBe(status)
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(await response.text()).not.toContain('secret')
})
