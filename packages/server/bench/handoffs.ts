/**
 * The handoff's real handler in Express, beside routes of the same application that do less.
 *
 * @module
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { load, type Run } from '../../../.ci/bench/load.ts'
import { median, type Round, type Row, rowOf } from '../../../.ci/bench/row.ts'
import { handoffs } from './table.ts'

const routes = ['resumed', 'fixed', 'created', 'fetched'] as const

type Route = (typeof routes)[number]

interface Size {
  readonly rounds: number
  readonly seconds: number
}

/** Loads the routes in turns, with 32 requests under way. */
export async function measureHandoffs(
  servicePort: number,
  { rounds, seconds }: Size,
): Promise<{ readonly rows: readonly Row[]; readonly runs: readonly object[] }> {
  const shop = fork(fileURLToPath(new URL('shop-server.ts', import.meta.url)), [
    `http://127.0.0.1:${servicePort}`,
  ])
  const [port] = (await once(shop, 'message')) as [number]
  const cookie = await sealedCookie(port)
  const runs = new Map<Route, Run[]>(routes.map((route) => [route, []]))
  // The first round of each warms caches and compilers; not counted.
  for (let at = -1; at < rounds; at++) {
    for (const route of shifted(at)) {
      // A new order is the session's own: the page names none.
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
      const next = (): string => request
      const run = await load({ port, concurrency: 32, seconds, next })
      if (at >= 0) runs.get(route)?.push(run)
    }
  }
  shop.disconnect()
  const paired = (one: Route, other: Route): Round[] =>
    (runs.get(one) ?? []).map(({ perSecond }, at) => ({
      ours: perSecond,
      baseline: runs.get(other)?.[at]?.perSecond ?? Number.NaN,
    }))
  return {
    rows: [
      rowOf(handoffs.resumed, paired('resumed', 'fixed')),
      rowOf(handoffs.created, paired('created', 'fetched')),
      rowOf(handoffs.createdBesideFixed, paired('created', 'fixed')),
    ],
    runs: [...runs].map(([route, all]) => ({
      what: `handoff route, 32 at once, ${names[route]}`,
      perSecond: Math.round(median(all.map(({ perSecond }) => perSecond))),
      'p50 µs': Math.round(median(all.map(({ p50 }) => p50))),
      'p99 µs': Math.round(median(all.map(({ p99 }) => p99))),
    })),
  }
}

/** Another order each round: nobody always comes first. */
function shifted(round: number): readonly Route[] {
  const first = (round + routes.length) % routes.length
  return [...routes.slice(first), ...routes.slice(0, first)]
}

const names: Readonly<Record<Route, string>> = {
  resumed: 'a resumed order',
  fixed: 'fixed JSON',
  created: 'a new order',
  fetched: 'a bare create by fetch',
}

/** What the first handoff of the order sets: with it every later one resumes. */
async function sealedCookie(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/resumed/handoff`, {
    method: 'POST',
    headers: { origin: 'http://localhost', 'content-type': 'application/json' },
    body: '{"orderId":"A-1001"}',
  })
  const [cookie = ''] = answer.headers.getSetCookie()
  if (!answer.ok || cookie === '') throw new Error(`the handoff answered ${answer.status}`)
  return cookie.split(';')[0] ?? ''
}
