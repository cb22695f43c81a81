import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test as base, expect } from '@playwright/test'
import fc from 'fast-check'
import { createIntent } from '../fixtures/api.ts'
import { seed } from '../fixtures/fuzz.ts'
import { type Program, root, start } from '../fixtures/program.ts'
import { tell } from '../fixtures/tell.ts'
import { builtService, type ServiceReady } from '../fixtures/world.ts'
import { type Endpoint, type Hostile, hostileRequests } from './hostile-requests.ts'
import { challengeRoutes, serviceRoutes, type Tried } from './routes.ts'

/** Bytes of an error response, its head included. */
const largestError = 16 * 1024
/** Milliseconds for which one request may block the event loop. */
const longestBlock = 150
/** Bytes that 50 unread responses may hold. */
const mostUnread = 100 * 2 ** 20
/** Bytes of the inspector's list of requests, after everything below. */
const largestList = 2 ** 20

const test = base.extend<object, { target: Target }>({
  target: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
    async ({}, use) => {
      const args = [builtService, 'start', '--json', '--port', '0', '--memory']
      const service = await start<ServiceReady>(args, {}, { probed: true })
      await use(await makeTarget(service))
      await service.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
})

test.describe.configure({ mode: 'default' })
test.setTimeout(180_000)

test('no hostile request gets a long error or blocks the event loop (threats 26, 28, 29)', async ({
  target: { service, doors },
}) => {
  for (const door of doors) await send(door, {})
  await service.longestStall()
  let requests = 0
  let largest = 0
  let longest = 0
  const wrong: string[] = []
  for (const [at, door] of doors.entries()) {
    for (const hostile of sampled(door, seed + at)) {
      const { status, bytes } = await send(door, hostile)
      const stall = await blockedBy(service, { door, hostile })
      requests++
      longest = Math.max(longest, stall)
      if (status >= 400) largest = Math.max(largest, bytes)
      const what = `${door.name}, ${hostile.kind}`
      if (status >= 500 && status !== 501) wrong.push(`${what}: HTTP status ${status}`)
      if (status >= 400 && bytes > largestError) wrong.push(`${what}: ${bytes} bytes`)
      if (stall > longestBlock) wrong.push(`${what}: blocked for ${Math.round(stall)} ms`)
    }
    // Enough to see what is wrong; a service that is held up answers few requests.
    if (wrong.length >= 10) break
  }
  const figures = { seed, requests, doors: doors.length }
  tell('hostile requests', { ...figures, largestError: largest, blockedMs: Math.round(longest) })
  expect(wrong, `PI_FUZZ_SEED=${seed}`).toEqual([])
})

test('fifty clients that do not read their responses hold little memory (threat 31)', async ({
  target: { service, doors },
}) => {
  const figures: Record<string, number> = {}
  for (const { door, flood } of await longestResponses(doors)) {
    const before = await held(service)
    // Three in a row on each connection: responses wait behind one that is not read.
    const sockets = await Promise.all(
      Array.from({ length: 50 }, () => openUnread(door, flood, { times: 3, read: 0 })),
    )
    await settled(service)
    const unread = (await held(service)) - before
    for (const socket of sockets) socket.destroy()
    figures[door.name] = Math.round(unread / 2 ** 20)
    expect(unread, `${door.name}: bytes held`).toBeLessThan(mostUnread)
  }
  tell('unread responses, MB', figures)
})

test('a client that leaves in the middle of a response frees what it held (threat 31)', async ({
  target: { service, doors },
}) => {
  const before = await held(service)
  for (const { door, flood } of await longestResponses(doors)) {
    const sockets = await Promise.all(
      Array.from({ length: 10 }, () => openUnread(door, flood, { times: 3, read: 100 })),
    )
    for (const socket of sockets) socket.destroy()
  }
  await settled(service)
  expect((await held(service)) - before).toBeLessThan(20 * 2 ** 20)
})

test('the request log keeps a bounded summary of each request (threat 33)', async ({ target }) => {
  const { api, environment } = target
  const door: Door = {
    ...{ name: 'POST /payment-intents', port: portOf(api.baseUrl), method: 'POST' },
    ...{ target: '/payment-intents', contentType: 'application/json', bodyLimit: 64 * 1024 },
    headers: { authorization: `Bearer ${api.apiKey}` },
  }
  const floods = hostileRequests(door).flatMap((kind) => fc.sample(kind, { numRuns: 16, seed }))
  for (const hostile of floods) await send(door, hostile)
  const list = await fetch(`${api.baseUrl}/_sandbox/environments/${environment}/requests`, {
    headers: { authorization: `Bearer ${api.adminToken}` },
  })
  const text = await list.text()
  tell('list of requests', { requests: JSON.parse(text).requests.length, bytes: text.length })
  expect(Buffer.byteLength(text)).toBeLessThan(largestList)
})

/** One endpoint with one set of credentials. */
interface Door extends Endpoint {
  readonly name: string
  readonly port: number
  readonly headers: Readonly<Record<string, string>>
}

interface Target {
  readonly service: Program<ServiceReady>
  readonly api: ServiceReady
  readonly environment: string
  readonly doors: readonly Door[]
}

async function makeTarget(service: Program<ServiceReady>): Promise<Target> {
  const api = service.ready
  const admin = { authorization: `Bearer ${api.adminToken}` }
  const { environments } = await json(
    await fetch(`${api.baseUrl}/_sandbox/environments`, { headers: admin }),
  )
  const [{ id: environment }] = environments as [{ id: string }]
  const intent = await createIntent({ api })
  const session = await openSession(api, intent)
  const assets = readdirSync(join(root, 'packages/service/dist/hosted/checkout-assets'))
  const script = assets.find((name) => name.endsWith('.js'))
  const tried = [
    ...serviceRoutes({ api }, { intent: intent.id, hostedAsset: `/checkout-assets/${script}` }),
    ...challengeRoutes({ challengeOrigin: session.challengeOrigin }),
  ]
  const doors = new Map<string, Door>()
  for (const route of tried) {
    for (const door of doorsOf(route, { session: session.token, environment, intent: intent.id })) {
      // Its stream has no end; `changes` are bounded by their number of topics.
      if (door.target === '/_sandbox/events' && door.headers.authorization) continue
      doors.set(door.name, door)
    }
  }
  return { service, api, environment, doors: [...doors.values()] }
}

/** An endpoint with and without its credentials. */
function doorsOf(
  [, url, init = {}]: Tried,
  known: { readonly session: string; readonly environment: string; readonly intent: string },
): readonly Door[] {
  const { port, pathname, search } = new URL(url)
  const { method = 'GET' } = init
  const path = pathname
    .replace('/environments/x/', `/environments/${known.environment}/`)
    .replace(/\/pi_0{24}/, `/${known.intent}`)
  const {
    authorization,
    origin,
    'content-type': type,
    ...others
  } = Object.fromEntries(new Headers(init.headers))
  const isPrivate = path.startsWith('/checkout-api/')
  const isForm = /^\/(?:challenge|bank)/.test(path)
  const contentType = isForm ? 'application/x-www-form-urlencoded' : (type ?? 'application/json')
  const own = isPrivate ? `Bearer ${known.session}` : authorization
  const door = {
    ...{ port: Number(port), method, target: path + search },
    contentType: path.endsWith('/reports') ? 'application/reports+json' : contentType,
    bodyLimit: method === 'POST' || method === 'PUT' ? bodyLimitOf(path) : 0,
    headers: { ...others, ...(isPrivate && { origin: new URL(url).origin }) },
  }
  const name = `${method} ${path}`
  return [
    { ...door, name },
    ...(own
      ? [
          {
            ...door,
            name: `${name} with credentials`,
            headers: { ...door.headers, authorization: own },
          },
        ]
      : []),
  ]
}

function bodyLimitOf(path: string): number {
  if (path.endsWith('/reports')) return 16 * 1024
  if (path.endsWith('/import')) return 2 ** 20
  return /^\/(?:challenge|bank)/.test(path) ? 4000 : 64 * 1024
}

/** One request of each kind, decided by the seed. */
function sampled(door: Door, from: number): readonly Hostile[] {
  return hostileRequests(door).flatMap((kind, at) =>
    fc.sample(kind, { numRuns: 1, seed: from + at }),
  )
}

/** The endpoints whose response to a flood is the longest: those that can hold the most. */
async function longestResponses(
  doors: readonly Door[],
): Promise<readonly { readonly door: Door; readonly flood: Hostile }[]> {
  const answered = []
  for (const door of doors) {
    const floods = sampled(door, seed).filter(({ kind }) => kind === 'unknown fields')
    const flood = floods[0] ?? { kind: 'honest' }
    const { bytes } = await send(door, flood)
    answered.push({ door, flood, bytes })
  }
  return answered.sort((one, other) => other.bytes - one.bytes).slice(0, 10)
}

/** How long a request blocked the loop. One that seems long is sent again: the host may have been busy. */
async function blockedBy(
  service: Program<ServiceReady>,
  { door, hostile }: { readonly door: Door; readonly hostile: Hostile },
): Promise<number> {
  let stall = await service.longestStall()
  for (let again = 0; again < 3 && stall > longestBlock; again++) {
    await send(door, hostile)
    stall = Math.min(stall, await service.longestStall())
  }
  return stall
}

/** Sends a request and reads to the end of the connection. */
async function send(
  door: Door,
  hostile: Partial<Hostile>,
): Promise<{ readonly status: number; readonly bytes: number }> {
  const socket = await open(door.port)
  let bytes = 0
  let status = 0
  socket.on('data', (chunk: Buffer) => {
    if (bytes === 0) status = Number(/^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1'))?.[1] ?? 0)
    bytes += chunk.length
  })
  socket.write(messageOf(door, hostile, 'close'))
  let late = false
  const timer = setTimeout(() => {
    late = true
    socket.destroy()
  }, 60_000)
  await once(socket, 'close')
  clearTimeout(timer)
  if (late) throw new Error(`${door.name}, ${hostile.kind}: no end after ${bytes} bytes`)
  return { status, bytes }
}

/** Sends a request again and again on one connection, and stops reading after some bytes. */
async function openUnread(
  door: Door,
  hostile: Hostile,
  { times, read }: { readonly times: number; readonly read: number },
): Promise<Socket> {
  const socket = await open(door.port)
  const message = messageOf(door, hostile, 'keep-alive')
  socket.pause()
  for (let sent = 0; sent < times; sent++) socket.write(message)
  if (read > 0) await Promise.race([once(socket, 'readable'), once(socket, 'close')])
  socket.read(read)
  return socket
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // A rejected request may be cut off while it is still being written.
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

function messageOf(
  { port, method, target, headers, contentType, bodyLimit }: Door,
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
    ...[...own, ...more, ...length, `connection: ${connection}`, '', ''],
  ]
  return Buffer.concat([Buffer.from(head.join('\r\n'), 'latin1'), body ?? Buffer.alloc(0)])
}

/** Bytes that the program holds after its garbage was collected. */
async function held(service: Program<ServiceReady>): Promise<number> {
  const { heap, external } = await service.measure()
  return heap + external
}

/** Waits until the program has worked through what it was sent. */
async function settled(service: Program<ServiceReady>): Promise<void> {
  await service.longestStall()
  await expect(async () => expect(await service.longestStall()).toBeLessThan(50)).toPass({
    intervals: [100, 100, 200],
    timeout: 60_000,
  })
}

async function openSession(
  api: ServiceReady,
  { id, clientSecret }: { readonly id: string; readonly clientSecret: string },
): Promise<{ readonly token: string; readonly challengeOrigin: string }> {
  const post = async (path: string, body: object, token?: string) =>
    json(
      await fetch(`${api.baseUrl}/checkout-api/${path}`, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', origin: api.baseUrl },
          ...(token && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
    )
  // Every start registers the demo shop's origin.
  const { token } = await post('session', { id, clientSecret, origin: 'http://localhost:3000' })
  const card = { number: '4000000000003220', expMonth: 12, expYear: 2034, cvc: '123' }
  const paymentMethod = { type: 'card', card }
  await post('confirm', { attemptId: 'a'.repeat(16), version: 1, paymentMethod }, token)
  const { url } = await post('challenge/open', {}, token)
  return { token, challengeOrigin: new URL(url).origin }
}

// biome-ignore lint/suspicious/noExplicitAny: each caller knows what it asked for
async function json(response: Response): Promise<any> {
  if (!response.ok) throw new Error(`HTTP status ${response.status}: ${await response.text()}`)
  return response.json()
}

function portOf(url: string): number {
  return Number(new URL(url).port)
}
