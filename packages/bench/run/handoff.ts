/**
 * The handoff's handler in Express, next to routes of the same application that do less.
 *
 * @module
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type LoadResult, load } from '../load.ts'
import { handoffRows } from '../rows.ts'
import { type Measured, median, pairs, rotated, rowOf } from '../statistics.ts'

const routes = ['resumed', 'fixed', 'created', 'fetched'] as const

type Route = (typeof routes)[number]

const labels: Readonly<Record<Route, string>> = {
  resumed: 'a resumed order',
  fixed: 'fixed JSON',
  created: 'a new order',
  fetched: 'a bare create by fetch',
}

/** Loads the routes in turns, with 32 requests in flight. */
export async function measureHandoffs(
  apiPort: number,
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<Measured> {
  const shop = fork(join(import.meta.dirname, 'handoff-server.ts'), [`http://127.0.0.1:${apiPort}`])
  const [port] = (await once(shop, 'message')) as [number]
  const cookie = await handoffCookie(port)
  const results = new Map<Route, LoadResult[]>(routes.map((route) => [route, []]))
  // The first round of each warms caches and compilers; not counted.
  for (let round = -1; round < rounds; round++) {
    for (const route of rotated(routes, round)) {
      // A new order belongs to the session: the page names none.
      const body = route === 'created' ? '{}' : '{"orderId":"A-1001"}'
      const request = [
        `POST /${route}/handoff HTTP/1.1`,
        `host: 127.0.0.1:${port}`,
        'origin: http://localhost',
        'sec-fetch-site: same-origin',
        'content-type: application/json',
        `content-length: ${body.length}`,
        ...(route === 'created' ? [] : [`cookie: ${cookie}`]),
        '',
        body,
      ].join('\r\n')
      const result = await load({ port, concurrency: 32, seconds, next: () => request })
      if (round >= 0) results.get(route)?.push(result)
    }
  }
  shop.disconnect()
  const rates = (route: Route) => (results.get(route) ?? []).map(({ perSecond }) => perSecond)
  return {
    rows: [
      rowOf(handoffRows.resumed, pairs(rates('resumed'), rates('fixed'))),
      rowOf(handoffRows.created, pairs(rates('created'), rates('fetched'))),
      rowOf(handoffRows.createdOverFixed, pairs(rates('created'), rates('fixed'))),
    ],
    figures: [...results].map(([route, all]) => ({
      what: `handoff route, 32 at once, ${labels[route]}`,
      perSecond: Math.round(median(rates(route))),
      'p50 µs': Math.round(median(all.map(({ p50 }) => p50))),
      'p99 µs': Math.round(median(all.map(({ p99 }) => p99))),
    })),
  }
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
