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
  appearance: { accent: '#ad4318' },
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
    returnUrl: `${origin}/orders/${orderId}?a=1&#38;b=%222%22`,
    locale: 'hy',
    appearance: '{&#34;accent&#34;:&#34;#ad4318&#34;}',
  })
  expect(html).toContain('<html lang="hy">')
  // It shows nothing of the order, which can have changed since.
  const shown = html.replace(/<script>.*<\/script>|<title>.*<\/title>|<[^>]*>/g, '')
  expect(shown).toBe('Շարունակել վճարումը')
  const { headers } = response
  expect(headers.get('cache-control')).toBe('no-store, private')
  const [, script = ''] = /<script>(.*?)<\/script>/.exec(html) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = `script-src 'sha256-${hash}'; img-src 'self'; form-action https://pay.example ${origin};`
  expect(headers.get('content-security-policy')).toContain(policy)
  expect(headers.get('referrer-policy')).toBe('strict-origin')
})

test('leads back to the order’s page, also if its id is Armenian, if the order cannot be paid now', async () => {
  const id = 'Պատվեր-15'
  const one = shop({ fullPage })
  one.add(id)
  one.service.settle(await one.intent(id), 'processing')
  const response = await start(one, { orderId: id })
  const location = new URL(response.headers.get('location') ?? '')
  expect(response.status).toBe(303)
  expect(decodeURIComponent(location.pathname)).toBe('/orders/Պատվեր-15')
})

const hidden = { origin: 'null', 'sec-fetch-site': 'cross-site' }
test.each([
  ['another site', 403, { origin: 'https://evil.example' }],
  ['a page without an origin', 403, hidden],
  ['JSON', 415, { 'content-type': 'application/json' }],
  ['an order of another buyer', 404, {}, 'B-2'],
])('shows a way back, and no secret, to %s', async (_, status, headers, asked = orderId) => {
  const one = shop({ fullPage })
  const response = await start(one, { orderId: asked }, headers)
  expect(response.status).toBe(status)
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  const html = await response.text()
  expect(html).toContain('<a href="/">Back</a>')
  expect(html).not.toMatch(/secret|<script/)
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
  expect(html).toContain('<a href="https://shop.example/orders/A-1001?a=1&#38;b=%222%22">')
})

test('returns to no other origin than the shop’s', async () => {
  const returnUrl = () => 'https://evil.example/'
  const one = shop({ fullPage: { ...fullPage, returnUrl } })
  expect((await start(one)).status).toBe(500)
  expect(String(one.errors)).toContain('fullPage.returnUrl')
})

test('is no route without fullPage, and needs an origin and a function', async () => {
  expect((await start(shop())).status).toBe(404)
  for (const wrong of [{ checkoutOrigin: 'pay' }, { returnUrl: '/orders' as never }]) {
    const [option] = Object.keys(wrong)
    expect(() => shop({ fullPage: { ...fullPage, ...wrong } })).toThrow(`fullPage.${option}: must`)
  }
})

test('works in Express after a body parser', async () => {
  const app = express().use(express.urlencoded(), toNode(shop({ fullPage }).checkout))
  const site = await startSite(app)
  onTestFinished(() => site.close())
  const body = new URLSearchParams({ orderId })
  const init = { method: 'POST', headers: { origin }, body }
  const response = await fetch(`${site.origin}/checkout/start`, init)
  expect(await response.text()).toContain('clientSecret')
})
