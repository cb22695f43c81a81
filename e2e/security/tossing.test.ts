import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import { freePort } from '@pi-checkout/test-support/free-port'
import { makeCertificate } from '../fixtures/certificate.ts'
import { expect, test } from '../fixtures/hostile-world.ts'

/** A well-formed session id and, as far as anybody can tell, a cookie. */
const value = 'A'.repeat(43)

test.use({ ignoreHTTPSErrors: true })

test('on https a sibling host can plant no cookie that the shop reads: no session, no handoff (threat 37)', async ({
  page,
  context,
  world,
  noise,
}) => {
  noise.allow(/./)
  const planted = ['__Host-sid', 'sid', '__Host-pi-handoff', 'pi-handoff'].flatMap((name) =>
    ['/', '/checkout'].map(
      (path) => `${name}=${value}; Domain=shop.localhost; Path=${path}; Secure`,
    ),
  )
  const shopPort = await freePort()
  const front = await startFront({ shopPort, planted })
  const origin = `https://shop.localhost:${front.port}`
  const shop = await world.startShop({
    PORT: String(shopPort),
    SHOP_ORIGIN: origin,
    PI_SHOP_DATA: `${world.data}/tossed`,
  })
  await page.goto(`https://evil.shop.localhost:${front.port}/`)
  await page.evaluate((cookies) => {
    // biome-ignore lint/suspicious/noDocumentCookie: an attacker uses whatever plants more
    for (const cookie of cookies) document.cookie = cookie
  }, planted)
  const tossed = await context.cookies(`https://shop.localhost:${front.port}/checkout/handoff`)
  expect(tossed.filter(({ name }) => name.startsWith('__Host-'))).toEqual([])

  await page.goto(`${origin}/`)
  const own = (await context.cookies(origin)).find(({ name }) => name === '__Host-sid')
  expect(own).toMatchObject({ secure: true, httpOnly: true, domain: 'shop.localhost', path: '/' })
  expect(own?.value).not.toBe(value)
  const answers = await page.evaluate(async () => {
    const send = async (method: string, path: string, body: object): Promise<Response> =>
      fetch(path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const catalogue = await (await fetch('/api/catalogue')).json()
    await send('PUT', `/api/cart/${catalogue.products[0].id}`, { quantity: 1 })
    const { orderId } = await (await send('POST', '/api/orders', {})).json()
    const pairs = [await send('POST', '/checkout/handoff', { orderId })]
    pairs.push(await send('POST', '/checkout/handoff', { orderId }))
    return Promise.all(pairs.map(async (answer) => [answer.status, (await answer.json()).id]))
  })
  // The buyer's own session ordered, and a planted cookie neither stopped nor changed the handoff.
  expect(answers.map(([status]) => status)).toEqual([200, 200])
  expect(answers[0]?.[1]).toBe(answers[1]?.[1])
  const sealed = (await context.cookies(origin)).find(({ name }) => name === '__Host-pi-handoff')
  expect(sealed).toMatchObject({ secure: true, httpOnly: true, sameSite: 'Strict', path: '/' })
  await shop.stop()
  await front.stop()
})

interface Front {
  readonly port: number
  stop(): Promise<void>
}

/** One listener with TLS, as shop and sibling would share one: by name, the shop or the attacker's page. */
async function startFront({
  shopPort,
  planted,
}: {
  readonly shopPort: number
  readonly planted: readonly string[]
}): Promise<Front> {
  const body = '<!doctype html><html lang="en"><title>Sibling</title></html>'
  const answer = [
    ...['HTTP/1.1 200 OK', 'Connection: close', 'Content-Type: text/html'],
    ...[`Content-Length: ${body.length}`, ...planted.map((cookie) => `Set-Cookie: ${cookie}`)],
    ...['', body],
  ].join('\r\n')
  const open = new Set<TLSSocket>()
  const server = createServer(
    makeCertificate(['shop.localhost', 'evil.shop.localhost']),
    (socket) => {
      open.add(socket)
      socket.on('close', () => open.delete(socket))
      socket.on('error', () => {})
      if (socket.servername !== 'shop.localhost') {
        socket.once('data', () => socket.end(answer))
        return
      }
      const shop = connect(shopPort, '127.0.0.1')
      shop.on('error', () => socket.destroy())
      socket.on('close', () => shop.destroy())
      socket.pipe(shop).pipe(socket)
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    // A listening server on TCP has this kind of address.
    port: (server.address() as AddressInfo).port,
    async stop() {
      const closed = once(server, 'close')
      server.close()
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}
