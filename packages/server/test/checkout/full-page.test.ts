import { createHash } from 'node:crypto'
import { toNode } from '@pi-checkout/server/node'
import { startSite } from '@pi-checkout/test-support/sites'
import express from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { fakeService } from '../../src/testing/fake-service.ts'
import { orderId, origin, shop } from './shop.ts'

const fullPage = {
  checkoutOrigin: 'https://pay.example',
  returnUrl: (id: string) => `${origin}/orders/${id}?a=1&b="2"`,
  appearance: { radius: 3 },
}

function start(
  { checkout }: ReturnType<typeof shop>,
  fields: Readonly<Record<string, string>> = { orderId },
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return checkout(
    new Request(`${origin}/checkout/start`, {
      method: 'POST',
      headers: { origin, ...headers },
      body: new URLSearchParams(fields),
    }),
  )
}

test('leads to the full page with a form, which only the checkout may receive', async () => {
  const one = shop({ fullPage })
  const response = await start(one, { orderId, locale: 'hy', token: 'of-the-shop' })
  expect(response.status).toBe(200)
  const html = await response.text()
  const { id } = one.service.intents[0] ?? {}
  const { clientSecret } = (await (await one.handoff()).json()) as { readonly clientSecret: string }
  expect(html).toContain(`<form method="post" action="https://pay.example/checkout/${id}">`)
  const inputs = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, ...input]) => input)
  expect(Object.fromEntries(inputs)).toEqual({
    clientSecret,
    returnUrl: `${origin}/orders/${orderId}?a=1&#38;b=&#34;2&#34;`,
    locale: 'hy',
    appearance: '{&#34;radius&#34;:3}',
  })
  expect(html).toContain('<html lang="hy">')
  expect(html).toContain('<button>Շարունակել վճարումը</button>')
  expect(html).toContain('<meta name="color-scheme" content="light dark">')
  const { headers } = response
  expect(headers.get('cache-control')).toBe('no-store, private')
  const [, script = ''] = /<script>(.*?)<\/script>/.exec(html) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  expect(headers.get('content-security-policy')).toBe(
    `default-src 'none'; script-src 'sha256-${hash}'; img-src 'self'; form-action https://pay.example ${origin}; base-uri 'none'; frame-ancestors 'none'`,
  )
  expect(headers.get('referrer-policy')).toBe('strict-origin')
})

test('shows nothing of the order, which can have changed since', async () => {
  const html = await (await start(shop({ fullPage }))).text()
  const shown = html.replace(/<script>.*<\/script>|<title>.*<\/title>|<[^>]*>/g, '')
  expect(shown).toBe('Continue to payment')
})

test('accepts the form of a page with Referrer-Policy: no-referrer', async () => {
  const headers = { origin: 'null', 'sec-fetch-site': 'same-origin' }
  expect((await start(shop({ fullPage }), { orderId }, headers)).status).toBe(200)
})

test('leads back to the order’s page if the order cannot be paid now', async () => {
  const one = shop({ fullPage })
  one.service.settle(await one.intent(), 'processing')
  const response = await start(one)
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    fullPage.returnUrl(orderId),
  ])
})

test.each([
  ['another site', { orderId }, { origin: 'https://evil.example' }, 403],
  [
    'a page without an origin',
    { orderId },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    403,
  ],
  ['a request without an origin', { orderId }, { origin: '' }, 403],
  ['JSON', { orderId }, { 'content-type': 'application/json' }, 415],
  ['an order of another buyer', { orderId: 'B-2' }, {}, 404],
])('shows a page without the secret to %s', async (_, fields, headers, status) => {
  const one = shop({ fullPage })
  const response = await start(one, fields, headers)
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await response.text()).not.toMatch(/secret|<script/)
  expect(one.service.intents).toEqual([])
})

test('offers another try and the way back while the service is not available', async () => {
  const service = fakeService().status(503)
  const one = shop({ service, fullPage })
  const response = await start(one, { orderId }, { 'accept-language': 'ru-RU,ru;q=0.9' })
  expect(response.status).toBe(503)
  const html = await response.text()
  expect(html).toContain('Сейчас не удаётся открыть страницу оплаты.')
  expect(html).toContain(`<input type="hidden" name="orderId" value="${orderId}">`)
  expect(html).toContain('<a href="https://shop.example/orders/A-1001?a=1&#38;b=&#34;2&#34;">')
})

test('returns to no other origin than the shop’s', async () => {
  const returnUrl = () => 'https://evil.example/'
  const one = shop({ fullPage: { ...fullPage, returnUrl } })
  expect((await start(one)).status).toBe(500)
  expect(String(one.errors)).toContain('fullPage.returnUrl: must return an address on shopOrigin')
})

test('is no route without fullPage, and needs an origin and a function', async () => {
  expect((await start(shop())).status).toBe(404)
  expect(() => shop({ fullPage: { ...fullPage, checkoutOrigin: 'pay' } })).toThrow(
    /^fullPage.checkoutOrigin/,
  )
  expect(() => shop({ fullPage: { ...fullPage, returnUrl: '/orders' as never } })).toThrow(
    'fullPage.returnUrl: must be a function of the order id.',
  )
})

test.each([[], [express.urlencoded()]])(
  'works in Express, also after a body parser',
  async (...parsers) => {
    const one = shop({ fullPage })
    const app = express()
    for (const parser of parsers) app.use(parser)
    const site = await startSite(app.use(toNode(one.checkout)))
    onTestFinished(() => site.close())
    const response = await fetch(`${site.origin}/checkout/start`, {
      method: 'POST',
      headers: { origin },
      body: new URLSearchParams({ orderId }),
    })
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('clientSecret')
  },
)

test('status() tells the shop’s own page what the status route tells a script', async () => {
  const one = shop()
  one.service.settle(await one.intent(), 'succeeded')
  expect(await one.checkout.status(orderId)).toEqual({ phase: 'paid', reason: undefined })
  expect(one.paid).toHaveLength(1)
})
