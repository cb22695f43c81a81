import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { measure } from '@pi-checkout/test-support/probe'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { type Program, type ServiceReady, startService } from '@pi-checkout/test-support/stack'
import { test as base, expect } from '@playwright/test'
import { create, retrieve } from '../fixtures/api.ts'
import { logMetrics } from '../fixtures/log-metrics.ts'

const test = base.extend<{ service: Program<ServiceReady> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  service: async ({}, use) => {
    const service = await startService(['--memory'], {}, { probed: true })
    await use(service)
    await service.stop()
  },
})

test.setTimeout(90_000)

/** As a new client, on a separate connection. */
const newClient = { connection: 'close' }

test('serves new clients during ten thousand silent and slow connections, and closes these (threat 31)', async ({
  service,
}) => {
  const { ready: api } = service
  const port = Number(new URL(api.baseUrl).port)
  await measure(service)
  const idle = await holdMany(port, 10_000)
  const slowHeads = await dripMany(port, `GET /payment-intents/x HTTP/1.1\r\nX: ${'a'.repeat(999)}`)
  const slowBodies = await dripMany(
    port,
    '0'.repeat(999),
    `POST /payment-intents HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${api.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n`,
  )

  let slowest = 0
  let served = 0
  for (const until = performance.now() + 2000; performance.now() < until; served++) {
    const startedAt = performance.now()
    expect((await create({ api }, {}, newClient)).status).toBe(201)
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  const slow = [...slowHeads, ...slowBodies]
  await Promise.all([...idle, ...slow].map(({ closed }) => closed))
  const { heap, rss, stall } = await measure(service)
  logMetrics('load', {
    ...{ idle: idle.length, slow: slow.length, served },
    ...{ slowestMs: Math.round(slowest), stallMs: Math.round(stall) },
    ...{ heapMB: Math.round(heap / 2 ** 20), rssMB: Math.round(rss / 2 ** 20) },
  })
  for (const { received } of slow) expect(received()).toMatch(/^HTTP\/1\.1 408 /)
  expect(slowest).toBeLessThan(10_000)
})

test('serves new clients during ten thousand idle keep-alive connections (threat 31)', async ({
  service: { ready: api },
}) => {
  const port = Number(new URL(api.baseUrl).port)
  const idle = await holdMany(port, 10_200, async ({ socket, closed }) => {
    socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await Promise.race([once(socket, 'data'), closed])
  })
  let slowest = 0
  for (let served = 0; served < 50; served++) {
    const startedAt = performance.now()
    expect((await retrieve({ api }, 'pi_x', newClient)).status).toBe(404)
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  logMetrics('idle keep-alive', { idle: idle.length, slowestMs: Math.round(slowest) })
  for (const { socket } of idle) socket.destroy()
})

interface HeldConnection {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  /** What the server has sent. */
  received(): string
}

async function hold(port: number): Promise<HeldConnection> {
  const socket = await openSocket(port)
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk
  })
  const closed = socket.destroyed ? Promise.resolve() : once(socket, 'close')
  return { socket, closed, received: () => received }
}

/** Opens connections, fewer if the host allows fewer open files: each takes one at both ends. */
async function holdMany(
  port: number,
  wanted: number,
  prepare?: (connection: HeldConnection) => Promise<void>,
): Promise<readonly HeldConnection[]> {
  const count = Math.min(Number(process.env.PI_IDLE_SOCKETS ?? wanted), openFileLimit() - 2000)
  const connections: HeldConnection[] = []
  while (connections.length < count) {
    const next = await Promise.all(Array.from({ length: 200 }, () => hold(port)))
    await Promise.all(next.map(async (connection) => prepare?.(connection)))
    connections.push(...next)
  }
  return connections
}

/** A hundred connections that send `first`, and then one byte at a time. */
async function dripMany(
  port: number,
  text: string,
  first = '',
): Promise<readonly HeldConnection[]> {
  const connections = await Promise.all(Array.from({ length: 100 }, () => hold(port)))
  for (const { socket, closed } of connections) {
    if (first) socket.write(first)
    let index = 0
    const timer = setInterval(() => {
      if (socket.writable) socket.write(text[index++ % text.length] ?? '')
    }, 500)
    closed.finally(() => clearInterval(timer))
  }
  return connections
}

/** How many files a process may open here; Node.js has raised the limit as far as it may. */
function openFileLimit(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft = ''] = /^Max open files +(\S+)/m.exec(limits) ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return 4096
  }
}
