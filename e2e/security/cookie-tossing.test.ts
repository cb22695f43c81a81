import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createCertificate } from '@pi-checkout/test-support/certificate'
import { freePort } from '@pi-checkout/test-support/free-port'
import { expect, test } from '../fixtures/cross-site-stack.ts'

/** A well-formed session id. */
const value = 'A'.repeat(43)

test.use({ ignoreHTTPSErrors: true })

test('ignores session and handoff cookies that a sibling host sets on https (threat 37)', async ({
  page,
  context,
  stack,
  pageErrors,
}) => {
  pageErrors.allow(/./)
  const planted = ['__Host-sid', 'sid', '__Host-pi-handoff', 'pi-handoff'].flatMap((name) =>
    ['/', '/checkout'].map(
      (path) => `${name}=${value}; Domain=shop.localhost; Path=${path}; Secure`,
    ),
  )
  const shopPort = await freePort()
  const proxy = await startProxy(shopPort, planted)
  const { port } = proxy.address() as AddressInfo
  const origin = `https://shop.localhost:${port}`
  const shop = await stack.startShop({
    PORT: String(shopPort),
    SHOP_ORIGIN: origin,
    PI_SHOP_DATA: `${stack.data}/cookie-tossing`,
  })
  await page.goto(`https://evil.shop.localhost:${port}/`)
  await page.evaluate((cookies) => {
    // biome-ignore lint/suspicious/noDocumentCookie: the attacker uses every way to set a cookie
    for (const cookie of cookies) document.cookie = cookie
  }, planted)
  const tossed = await context.cookies(`${origin}/checkout/handoff`)
  expect(tossed.filter(({ name }) => name.startsWith('__Host-'))).toEqual([])

  await page.goto(`${origin}/`)
  const cookieOf = async (name: string) =>
    (await context.cookies(origin)).find((cookie) => cookie.name === name)
  const session = await cookieOf('__Host-sid')
  expect(session).toMatchObject({ secure: true, httpOnly: true, path: '/' })
  expect(session?.value).not.toBe(value)
  const responses = await page.evaluate(async () => {
    const send = async (method: string, path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(path, { method, headers, body: JSON.stringify(body) })
      return { status: response.status, body: await response.json() }
    }
    const submit = async (path: string, fields: Record<string, string>) =>
      (await fetch(path, { method: 'POST', body: new URLSearchParams(fields) })).url
    await submit('/cart', { product: 'thyme-tea', quantity: '1' })
    const order = { orderId: (await submit('/orders', {})).split('/pay/')[1] }
    return [
      await send('POST', '/checkout/handoff', order),
      await send('POST', '/checkout/handoff', order),
    ]
  })
  // The buyer's own session placed the order, and no planted cookie changed the handoff.
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  expect(responses[0]?.body.id).toBe(responses[1]?.body.id)
  const handoff = await cookieOf('__Host-pi-handoff')
  expect(handoff).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict', path: '/' })
  await shop.stop()
  proxy.close()
  proxy.closeAllConnections()
})

/** Terminates TLS for the shop and for the attacker's sibling host, which sets cookies. */
async function startProxy(shopPort: number, planted: readonly string[]): Promise<Server> {
  const certificate = createCertificate(['shop.localhost', 'evil.shop.localhost'])
  const proxy = createServer(certificate, (request, response) => {
    if (request.headers.host?.startsWith('evil.')) {
      response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': [...planted] })
      response.end('<!doctype html><html lang="en"><title>Sibling</title></html>')
      return
    }
    const { method, headers, url: path } = request
    const forwarded = httpRequest({ port: shopPort, method, headers, path }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers)
      received.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    request.pipe(forwarded)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return proxy
}
