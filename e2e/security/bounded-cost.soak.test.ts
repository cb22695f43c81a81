import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { seed } from '@pi-checkout/test-support/generated'
import { HttpBuyer } from '@pi-checkout/test-support/http-buyer'
import { longestStall, measure } from '@pi-checkout/test-support/probe'
import { root } from '@pi-checkout/test-support/process'
import { openSocket, rawRequest, statusOf } from '@pi-checkout/test-support/raw-http'
import { control, environmentPath } from '@pi-checkout/test-support/sandbox'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import fc from 'fast-check'
import { createIntent } from '../fixtures/api.ts'
import { logMetrics } from '../fixtures/log-metrics.ts'
import { workerFixture } from '../fixtures/test-stack.ts'
import { type Hostile, hostileRequests } from './hostile-requests.ts'
import { challengeRoutes, type Probe, serviceRoutes } from './routes.ts'

/** Bytes of an error response, its head included. */
const maxError = 16 * 1024
/** Milliseconds for which one request may block the event loop. */
const maxBlock = 150
/** Bytes that 50 unread responses may hold. */
const maxUnread = 100 * 2 ** 20
/** Bytes of the inspector's list of requests, after everything below. */
const maxList = 2 ** 20

const test = base.extend<object, { target: Target }>({
  target: workerFixture(startTarget),
})

test.describe.configure({ mode: 'default' })
test.setTimeout(180_000)

test('returns short errors to hostile requests and does not block the event loop (threats 26, 28, 29)', async ({
  target: { service, endpoints },
}) => {
  for (const endpoint of endpoints) await send(endpoint, {})
  await longestStall(service)
  let requests = 0
  let largest = 0
  let longest = 0
  const wrong: string[] = []
  for (const [at, endpoint] of endpoints.entries()) {
    for (const hostile of sampled(endpoint, seed + at)) {
      const { status, bytes } = await send(endpoint, hostile)
      const stall = await blockedBy(service, { endpoint, hostile })
      requests++
      longest = Math.max(longest, stall)
      if (status >= 400) largest = Math.max(largest, bytes)
      const what = `${endpoint.name}, ${hostile.kind}`
      if (status >= 500 && status !== 501) wrong.push(`${what}: HTTP status ${status}`)
      if (status >= 400 && bytes > maxError) wrong.push(`${what}: ${bytes} bytes`)
      if (stall > maxBlock) wrong.push(`${what}: blocked for ${Math.round(stall)} ms`)
    }
    // Enough to diagnose: a blocked service returns few responses.
    if (wrong.length >= 10) break
  }
  const figures = { seed, requests, endpoints: endpoints.length }
  logMetrics('hostile requests', {
    ...figures,
    largestError: largest,
    blockedMs: Math.round(longest),
  })
  expect(wrong, `PI_SEED=${seed}`).toEqual([])
})

test('bounds the memory of fifty clients that do not read their responses, and frees it when they leave (threat 31)', async ({
  target: { service, endpoints },
}) => {
  const figures: Record<string, number> = {}
  const first = await memoryOf(service)
  for (const { endpoint, flood } of await longestResponses(endpoints)) {
    const before = await memoryOf(service)
    // Three on each connection: responses wait for one that is not read. A few read its first bytes.
    const sockets = await Promise.all(
      Array.from({ length: 50 }, (_, at) => openUnread(endpoint, flood, at < 10 ? 100 : 0)),
    )
    await settled(service)
    const unread = (await memoryOf(service)) - before
    for (const socket of sockets) socket.destroy()
    figures[endpoint.name] = Math.round(unread / 2 ** 20)
    expect(unread, `${endpoint.name}: bytes`).toBeLessThan(maxUnread)
  }
  logMetrics('unread responses, MB', figures)
  await settled(service)
  expect((await memoryOf(service)) - first).toBeLessThan(20 * 2 ** 20)
})

test('keeps a bounded summary of each request in the request log (threat 33)', async ({
  target: { service, environment },
}) => {
  const { ready: api } = service
  const endpoint: TestedEndpoint = {
    name: 'POST /payment-intents',
    port: portOf(api.baseUrl),
    method: 'POST',
    target: '/payment-intents',
    contentType: 'application/json',
    bodyLimit: 64 * 1024,
    headers: { authorization: `Bearer ${api.apiKey}` },
  }
  const floods = hostileRequests(endpoint.bodyLimit).flatMap((kind) =>
    fc.sample(kind, { numRuns: 16, seed }),
  )
  for (const hostile of floods) await send(endpoint, hostile)
  const list = await control<{ requests: object[] }>({ api }, `${environment}/requests`)
  const bytes = Buffer.byteLength(JSON.stringify(list))
  logMetrics('list of requests', { requests: list.requests.length, bytes })
  expect(bytes).toBeLessThan(maxList)
})

/** One endpoint with one set of credentials. */
interface TestedEndpoint {
  readonly name: string
  readonly port: number
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly contentType: string
  /** Bytes; 0 without a body. */
  readonly bodyLimit: number
  readonly headers: Readonly<Record<string, string>>
}

interface Target {
  readonly service: Program<ServiceReady>
  /** Path of the test environment in the sandbox API. */
  readonly environment: string
  readonly endpoints: readonly TestedEndpoint[]
  stop(): Promise<unknown>
}

async function startTarget(): Promise<Target> {
  const service = await startService(['--memory'], {}, { probed: true })
  const { ready: api, stop } = service
  const environment = await environmentPath({ api })
  const handoff = await createIntent({ api })
  // Every start registers the demo shop's origin.
  const shopOrigin = 'http://localhost:3000'
  const buyer = new HttpBuyer({ shop: '', shopOrigin, checkout: api.baseUrl })
  const session = await buyer.openSession(handoff)
  await buyer.pay('4000000000003220')
  const challengeOrigin = new URL((await buyer.openChallenge()).url).origin
  const assets = readdirSync(join(root, 'packages/service/dist/hosted/checkout-assets'))
  const script = assets.find((name) => name.endsWith('.js'))
  const probes = [
    ...(await serviceRoutes(
      { api },
      { intent: handoff.id, hostedAsset: `/checkout-assets/${script}` },
    )),
    ...challengeRoutes({ challengeOrigin }),
  ]
  const known = { session, environment, intent: handoff.id }
  return { service, environment, endpoints: probes.map((probe) => endpointOf(probe, known)), stop }
}

function endpointOf(
  [name, url, init = {}]: Probe,
  known: { readonly session: string; readonly environment: string; readonly intent: string },
): TestedEndpoint {
  const { port, pathname, search } = new URL(url)
  const { method = 'GET' } = init
  const path = pathname
    .replace('/environments/x/', `${known.environment}/`)
    .replace('/intents/x/', `/intents/${known.intent}/`)
  const { 'content-type': _, ...headers } = Object.fromEntries(new Headers(init.headers))
  const isForm = /^\/(?:challenge|bank)/.test(path)
  const contentType = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
  const isPrivate = path.startsWith('/checkout-api/') && headers.origin
  return {
    name,
    port: Number(port),
    method,
    target: path + search,
    contentType: path.endsWith('/reports') ? 'application/reports+json' : contentType,
    bodyLimit: method === 'POST' || method === 'PUT' ? bodyLimitOf(path) : 0,
    headers: { ...headers, ...(isPrivate && { authorization: `Bearer ${known.session}` }) },
  }
}

function bodyLimitOf(path: string): number {
  if (path.endsWith('/reports')) return 16 * 1024
  return /^\/(?:challenge|bank)/.test(path) ? 4000 : 64 * 1024
}

/** Returns one request of each kind for a seed. */
function sampled({ bodyLimit }: TestedEndpoint, from: number): readonly Hostile[] {
  return hostileRequests(bodyLimit).flatMap((kind, at) =>
    fc.sample(kind, { numRuns: 1, seed: from + at }),
  )
}

/** Returns the endpoints with the longest responses to a flood. */
async function longestResponses(
  endpoints: readonly TestedEndpoint[],
): Promise<readonly { readonly endpoint: TestedEndpoint; readonly flood: Hostile }[]> {
  const measured = []
  for (const endpoint of endpoints) {
    const floods = sampled(endpoint, seed).filter(({ kind }) => kind === 'unknown fields')
    const flood = floods[0] ?? { kind: 'honest' }
    const { bytes } = await send(endpoint, flood)
    measured.push({ endpoint, flood, bytes })
  }
  return measured.sort((a, b) => b.bytes - a.bytes).slice(0, 10)
}

/** Returns how long a request blocked the loop. A long one is repeated: the host may have been busy. */
async function blockedBy(
  service: Program<ServiceReady>,
  { endpoint, hostile }: { readonly endpoint: TestedEndpoint; readonly hostile: Hostile },
): Promise<number> {
  let stall = await longestStall(service)
  for (let again = 0; again < 3 && stall > maxBlock; again++) {
    await send(endpoint, hostile)
    stall = Math.min(stall, await longestStall(service))
  }
  return stall
}

/** Sends a request and reads to the end of the connection. */
async function send(
  endpoint: TestedEndpoint,
  hostile: Partial<Hostile>,
): Promise<{ readonly status: number; readonly bytes: number }> {
  const startedAt = performance.now()
  const message = messageOf(endpoint, hostile, 'close').toString('latin1')
  const response = await rawRequest(endpoint.port, message, { timeoutMs: 60_000 })
  const bytes = response.length
  if (performance.now() - startedAt >= 60_000) {
    throw new Error(`${endpoint.name}, ${hostile.kind}: no end after ${bytes} bytes`)
  }
  return { status: statusOf(response), bytes }
}

/** Sends a request three times on one connection, and stops reading after some bytes. */
async function openUnread(
  endpoint: TestedEndpoint,
  hostile: Hostile,
  read: number,
): Promise<Socket> {
  const socket = await openSocket(endpoint.port)
  const message = messageOf(endpoint, hostile, 'keep-alive')
  socket.pause()
  for (let sent = 0; sent < 3; sent++) socket.write(message)
  if (read > 0) await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  socket.read(read)
  return socket
}

function messageOf(
  { port, method, target, headers, contentType, bodyLimit }: TestedEndpoint,
  { suffix = '', headers: more = [], body }: Partial<Hostile>,
  connection: 'close' | 'keep-alive',
): Buffer {
  const chunked = more.some((line) => line.startsWith('Transfer-Encoding'))
  const own = Object.entries({
    host: `127.0.0.1:${port}`,
    ...(bodyLimit > 0 && { 'content-type': contentType }),
    ...headers,
  })
    .filter(([name]) => !more.some((line) => line.toLowerCase().startsWith(`${name}:`)))
    .map(([name, value]) => `${name}: ${value}`)
  const length = bodyLimit > 0 && !chunked ? [`content-length: ${body?.length ?? 0}`] : []
  const head = [
    `${method} ${target}${suffix} HTTP/1.1`,
    ...own,
    ...more,
    ...length,
    `connection: ${connection}`,
    '',
    '',
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)])
}

/** Returns the bytes that the program uses after a garbage collection. */
async function memoryOf(service: Program<ServiceReady>): Promise<number> {
  const { heap, external } = await measure(service)
  return heap + external
}

/** Waits until the program has processed everything. */
async function settled(service: Program<ServiceReady>): Promise<void> {
  await longestStall(service)
  await expect(async () => expect(await longestStall(service)).toBeLessThan(50)).toPass({
    intervals: [100, 100, 200],
    timeout: 60_000,
  })
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
