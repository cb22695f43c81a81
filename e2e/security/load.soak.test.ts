import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { measure } from '@pi-checkout/test-support/probe'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { startService } from '@pi-checkout/test-support/stack'
import { expect, test } from '@playwright/test'
import { create } from '../fixtures/api.ts'
import { logMetrics } from '../fixtures/log-metrics.ts'

test('serves new clients during ten thousand silent and slow connections, and closes these (threat 31)', async () => {
  test.setTimeout(90_000)
  const service = await startService(['--memory'], {}, { probed: true })
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
    expect((await create({ api }, {}, { connection: 'close' })).status).toBe(201)
    slowest = Math.max(slowest, performance.now() - startedAt)
  }
  const slow = [...slowHeads, ...slowBodies]
  await Promise.all([...idle, ...slow].map(({ closed }) => closed))
  const { heap, rss, stall } = await measure(service)
  logMetrics('load', {
    idle: idle.length,
    slow: slow.length,
    served,
    slowestMs: Math.round(slowest),
    stallMs: Math.round(stall),
    heapMB: Math.round(heap / 2 ** 20),
    rssMB: Math.round(rss / 2 ** 20),
  })
  for (const { received } of slow) expect(received()).toMatch(/^HTTP\/1\.1 408 /)
  expect(slowest).toBeLessThan(10_000)
  await service.stop()
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
async function holdMany(port: number, wanted: number): Promise<readonly HeldConnection[]> {
  const count = Math.min(Number(process.env.PI_IDLE_SOCKETS ?? wanted), openFileLimit() - 2000)
  const connections: HeldConnection[] = []
  while (connections.length < count) {
    connections.push(...(await Promise.all(Array.from({ length: 200 }, () => hold(port)))))
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
