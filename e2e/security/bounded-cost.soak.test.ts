import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { seed } from '@pi-checkout/test-support/generated'
import { HostedPage } from '@pi-checkout/test-support/http-buyer'
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
import { type Hostile, hostileBodies, hostileHeads } from './inputs.ts'

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
  target: { service, environment, endpoints },
}) => {
  const { ready: api } = service
  const [endpoint] = endpoints
  if (!endpoint) throw new Error('there is no endpoint')
  const floods = fc.sample(hostileBodies(endpoint.bodyLimit), { numRuns: 400, seed })
  for (const hostile of floods) await send(endpoint, hostile)
  const list = await control<{ requests: object[] }>({ api }, `${environment}/requests`)
  const bytes = Buffer.byteLength(JSON.stringify(list))
  logMetrics('list of requests', { requests: list.requests.length, bytes })
  expect(bytes).toBeLessThan(maxList)
})

/** One endpoint with valid credentials. */
interface TestedEndpoint {
  readonly name: string
  readonly port: number
  readonly method: string
  readonly path: string
  readonly contentType: string
  /** Bytes; 0 without a body. */
  readonly bodyLimit: number
  readonly headers: Readonly<Record<string, string>>
}

interface Target {
  readonly service: Program<ServiceReady>
  /** Path of the test environment in the sandbox API. */
  readonly environment: string
  /** Every route of the service's table, the merchant API first. */
  readonly endpoints: readonly TestedEndpoint[]
  stop(): Promise<unknown>
}

async function startTarget(): Promise<Target> {
  const service = await startService(['--memory'], {}, { probed: true })
  const { ready: api, stop } = service
  const environment = await environmentPath({ api })
  const handoff = await createIntent({ api })
  // Every start registers the demo shop's origin.
  const page = new HostedPage({ url: api.baseUrl })
  const { token: session } = await page.open(handoff)
  await page.pay('4000000000003220')
  const bank = (await page.openChallenge()).url
  const assets = readdirSync(join(root, 'packages/service/dist/hosted/checkout-assets'))
  const manifest = readFileSync(join(root, 'packages/service/package.json'), 'utf8')
  const known: Readonly<Record<string, string>> = {
    '/checkout-assets/*': `/checkout-assets/${assets.find((name) => name.endsWith('.js'))}`,
    '/pi-checkout-:file': `/pi-checkout-${JSON.parse(manifest).version}.js`,
    // A deletion of the environment would be the last request.
    '/_sandbox/environments/:id': '/_sandbox/environments/x',
  }
  const credentials: readonly (readonly [RegExp, Record<string, string>])[] = [
    [/^\/payment-intents/, { authorization: `Bearer ${api.apiKey}` }],
    [/^\/checkout-api|\/session$/, { authorization: `Bearer ${session}`, origin: api.baseUrl }],
    [/^\/_sandbox\//, { authorization: `Bearer ${api.adminToken}` }],
  ]
  const endpoints = (await routeTable()).map(({ method, path: pattern }) => {
    const isForm = /^\/(?:challenge|bank)/.test(pattern)
    const path = pattern
      .replace('/_sandbox/environments/:id', `/_sandbox${environment}`)
      .replace(':id', handoff.id)
      .replace(/:\w+$/, '0')
    const limit = isForm ? 4000 : 64 * 1024
    return {
      name: `${method} ${pattern}`,
      port: Number(new URL(isForm ? bank : api.baseUrl).port),
      method,
      path: known[pattern] ?? path,
      contentType: isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      bodyLimit: method === 'POST' || method === 'PUT' ? limit : 0,
      headers: credentials.find(([paths]) => paths.test(pattern))?.[1] ?? {},
    }
  })
  return { service, environment, endpoints, stop }
}

async function routeTable(): Promise<readonly Record<'method' | 'path', string>[]> {
  const table = join(root, 'packages/service/dist/service/shared/routes.js')
  return Object.values((await import(pathToFileURL(table).href)).routes)
}

/** Returns hostile heads, and bodies if the endpoint reads them. */
function sampled({ bodyLimit }: TestedEndpoint, from: number): readonly Hostile[] {
  const bodies =
    bodyLimit > 0 ? fc.sample(hostileBodies(bodyLimit), { numRuns: 24, seed: from }) : []
  return [...fc.sample(hostileHeads, { numRuns: 24, seed: from }), ...bodies]
}

/** Returns the endpoints with the longest responses to a long body. */
async function longestResponses(
  endpoints: readonly TestedEndpoint[],
): Promise<readonly { readonly endpoint: TestedEndpoint; readonly flood: Hostile }[]> {
  const measured = []
  for (const endpoint of endpoints) {
    const [flood = { kind: 'honest' }] = sampled(endpoint, seed).slice(24)
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
  { port, method, path, headers, contentType, bodyLimit }: TestedEndpoint,
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
    `${method} ${path}${suffix} HTTP/1.1`,
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
