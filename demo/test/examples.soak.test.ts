import { leaveAtAnyByte } from '@pi-checkout/test-support/leaving-client'
import { expect, test } from 'vitest'
import { openExample, read, servers, useService } from './example-shops.ts'

useService()

/** What Koa itself prints for a broken connection, on every route. */
const koaLine = /^$|^ {2}Error: (?:Parse Error|read |write )|^ {6}at /

test.each(servers)('the %s example survives clients that disconnect at any byte', async (name) => {
  const { shop, child, log } = await openExample(`${name}.mjs`)
  const { port } = new URL(shop)
  // The page creates the buyer's order.
  const page = await fetch(shop)
  const [cookie = ''] = (page.headers.get('set-cookie') ?? '').split(';')
  const headers = { origin: shop, 'content-type': 'application/json', cookie }
  const head = [
    `Host: localhost:${port}`,
    `Origin: ${shop}`,
    `Cookie: ${cookie}`,
    'Connection: close',
  ]
  const heads = [
    ['POST /checkout/handoff HTTP/1.1', ...head, 'Content-Type: application/json'],
    ['GET /checkout/status HTTP/1.1', ...head],
  ].map((lines) => lines.join('\r\n'))
  const [post, get] = heads
  const end = await leaveAtAnyByte({
    host: 'localhost',
    port: Number(port),
    requests: [`${post}\r\nContent-Length: 2\r\n\r\n{}`, `${get}\r\n\r\n`],
    serves: async () => {
      const signal = AbortSignal.timeout(30_000)
      const init = { method: 'POST', headers, body: '{}', signal }
      const response = await fetch(`${shop}/checkout/handoff`, init)
      expect([response.status, Object.keys(await read(response))]).toEqual([
        200,
        ['id', 'clientSecret'],
      ])
    },
  }).catch(String)
  const printed = log.slice(1).filter((line) => name !== 'koa' || !koaLine.test(line))
  expect([end, child.exitCode, printed]).toEqual([undefined, null, []])
})
