/** The requests of a hosted page fail as behind networks, load balancers, and firewalls. @module */
import { setTimeout as sleep } from 'node:timers/promises'
import type { APIResponse, Page, Route } from '@playwright/test'

/** How one request fails; `after` means that the service has processed it. */
export const faults = [
  'silence',
  'silence-after',
  'late',
  'cut',
  'cut-after',
  'half',
  'bad-gateway',
  'bad-gateway-after',
  'forbidden',
] as const

export type Fault = (typeof faults)[number]

/** One request of the private API, by the path below `/checkout-api/`. */
export interface Call {
  readonly path: string
  readonly body: string
  readonly fault: Fault | undefined
}

interface Network {
  /** The service, for requests from Node.js. */
  readonly target: string
  /** The faults of the next requests by path. */
  readonly plan: ReadonlyMap<string, Fault[]>
  /** Milliseconds in which the page's clock advances by one second. Long polls end accordingly. */
  readonly second: number
}

/** Lets requests of a page fail. Returns the list of all its requests, which grows. */
export async function failRequests(page: Page, network: Network): Promise<readonly Call[]> {
  const calls: Call[] = []
  await page.route('**/checkout-api/**', async (route) => {
    const request = route.request()
    const [, path = ''] = new URL(request.url()).pathname.split('/checkout-api/')
    const fault = network.plan.get(path)?.shift()
    calls.push({ path, body: request.postData() ?? '', fault })
    // The page may have ended the request in the meantime.
    await respond(route, fault, network).catch(() => {})
  })
  return calls
}

async function respond(route: Route, fault: Fault | undefined, network: Network): Promise<void> {
  if (fault === 'late') await sleep(12 * network.second)
  if (fault === 'silence') return
  if (fault === 'cut') return await route.abort()
  if (fault === 'bad-gateway') return await reject(route, 502)
  if (fault === 'forbidden') return await reject(route, 403)
  const response = await forward(route, network)
  if (fault === 'silence-after') return
  if (fault === 'cut-after') return await route.abort()
  if (fault === 'bad-gateway-after') return await reject(route, 502)
  const body = await response.body()
  await route.fulfill({ response, body: fault === 'half' ? body.subarray(0, -20) : body })
}

/** Sends the response of a load balancer or a firewall. */
async function reject(route: Route, status: number): Promise<void> {
  const json = { type: 'about:blank', title: 'Rejected by a proxy', status }
  await route.fulfill({ status, contentType: 'application/problem+json', json })
}

/** Forwards a request. A long poll becomes short ones, so that it ends by the page's clock. */
async function forward(route: Route, { target, second }: Network): Promise<APIResponse> {
  const { pathname, searchParams } = new URL(route.request().url())
  const version = Number(searchParams.get('waitForVersion'))
  const end = performance.now() + 25 * second
  for (;;) {
    const response = await route.fetch({ url: target + pathname })
    if (!version || !response.ok() || performance.now() > end) return response
    if ((await response.json()).version >= version) return response
    await sleep(20)
  }
}
