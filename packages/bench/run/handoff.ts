/** The handoff's handler in Express, next to routes of the same application that do less. @module */
import { load } from '../load.ts'
import type { Samples, Size } from '../samples.ts'
import { startChild } from './child.ts'

/** Loads the routes in turns, with 32 requests in flight. */
export async function measure(samples: Samples, size: Size): Promise<void> {
  const api = await startChild('fake-api.ts')
  const shop = await startChild('handoff-server.ts', [`http://127.0.0.1:${api.port}`])
  const cookie = await handoffCookie(shop.port)
  await samples.inTurns(
    size(9, 1),
    ['resumed', 'fixed', 'created', 'fetched'].map((route) => {
      // A new order belongs to the session: the page names none.
      const body = route === 'created' ? '{}' : '{"orderId":"A-1001"}'
      const request = [
        `POST /${route}/handoff HTTP/1.1`,
        `host: 127.0.0.1:${shop.port}`,
        'origin: http://localhost',
        'sec-fetch-site: same-origin',
        'content-type: application/json',
        `content-length: ${body.length}`,
        ...(route === 'created' ? [] : [`cookie: ${cookie}`]),
        '',
        body,
      ].join('\r\n')
      const target = { port: shop.port, concurrency: 32, seconds: size(1, 0.1) }
      return async (record) => {
        const { figures } = await load({ ...target, next: () => request })
        record(`handoff, ${route}`, figures)
      }
    }),
  )
  shop.child.disconnect()
  api.child.disconnect()
}

/** Returns the cookie that the order's first handoff sets; with it, later ones resume. */
async function handoffCookie(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/resumed/handoff`, {
    method: 'POST',
    headers: { origin: 'http://localhost', 'content-type': 'application/json' },
    body: '{"orderId":"A-1001"}',
  })
  const [cookie = ''] = response.headers.getSetCookie()
  if (!response.ok || cookie === '') throw new Error(`The handoff returned ${response.status}.`)
  return cookie.split(';')[0] ?? ''
}
