/** The handoff's handler in Express, next to routes of the same application that do less. @module */
import { load } from '../load.ts'
import type { Samples, Size } from '../samples.ts'
import { startChild } from './child.ts'

/** Loads the routes in turns, with 32 requests in flight. */
export async function measure(samples: Samples, size: Size): Promise<void> {
  const api = await startChild('fake-api.ts')
  const shop = await startChild('handoff-server.ts', [`http://127.0.0.1:${api.port}`])
  await samples.inTurns(
    size(9, 1),
    ['second', 'created', 'fetched'].map((route) => {
      // A new order belongs to the session: the page names none.
      const body = route === 'created' ? '{}' : '{"orderId":"A-1001"}'
      const request = [
        `POST /${route}/handoff HTTP/1.1`,
        `host: 127.0.0.1:${shop.port}`,
        'origin: http://localhost',
        'sec-fetch-site: same-origin',
        'content-type: application/json',
        `content-length: ${body.length}`,
        '',
        body,
      ].join('\r\n')
      const target = { port: shop.port, concurrency: 32, count: size(3_000, 100) }
      return async (record) => {
        record(`handoff, ${route}`, await load({ ...target, request: () => request }))
      }
    }),
  )
  shop.child.disconnect()
  api.child.disconnect()
}
