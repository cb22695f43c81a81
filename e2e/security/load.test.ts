import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { test as base, expect } from '@playwright/test'
import { type Program, start } from '../fixtures/program.ts'
import { tell } from '../fixtures/tell.ts'
import { builtService, type ServiceReady } from '../fixtures/world.ts'

const test = base.extend<{ service: Program<ServiceReady> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures off this pattern
  service: async ({}, use) => {
    const args = [builtService, 'start', '--json', '--port', '0', '--memory']
    const service = await start<ServiceReady>(args, {}, { probed: true })
    await use(service)
    await service.stop()
  },
})

test('ten thousand silent connections, slow heads and slow bodies keep nobody out, and are cut off (threat 31)', async ({
  service,
}) => {
  test.setTimeout(90_000)
  const { baseUrl, apiKey } = service.ready
  const port = Number(new URL(baseUrl).port)
  await service.measure()
  // Each takes a file handle here and one there; where the machine gives fewer, there are fewer.
  const wanted = Number(process.env.PI_IDLE_SOCKETS ?? 10_000)
  const count = Math.min(wanted, openFiles() - 2000)
  const idle: Held[] = []
  while (idle.length < count) {
    idle.push(...(await Promise.all(Array.from({ length: 250 }, () => hold(port)))))
  }
  const authorised = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`
  const heads = await drips(port, 100, `GET /payment-intents/x HTTP/1.1\r\nX: ${'a'.repeat(999)}`)
  const bodies = await drips(
    port,
    100,
    '0'.repeat(999),
    `POST /payment-intents HTTP/1.1\r\n${authorised}Content-Type: application/json\r\nContent-Length: 999\r\n\r\n`,
  )

  let slowest = 0
  let served = 0
  const until = performance.now() + 2000
  while (performance.now() < until) {
    const began = performance.now()
    const answer = await fetch(`${baseUrl}/payment-intents`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        // A connection of its own, as a client that has just come.
        connection: 'close',
      },
      body: '{"orderId":"A-1","amount":150000,"currency":"AMD"}',
    })
    expect(answer.status).toBe(201)
    slowest = Math.max(slowest, performance.now() - began)
    served++
  }
  await Promise.all([...idle, ...heads, ...bodies].map(({ closed }) => closed))
  const { heap, rss, stall } = await service.measure()
  tell('load', {
    ...{ idle: count, slowHeads: heads.length, slowBodies: bodies.length, served },
    ...{ slowestMs: Math.round(slowest), stallMs: Math.round(stall) },
    ...{ heapMB: Math.round(heap / 2 ** 20), rssMB: Math.round(rss / 2 ** 20) },
  })
  for (const { heard } of [...heads, ...bodies]) expect(heard()).toMatch(/^HTTP\/1\.1 408 /)
  expect(slowest).toBeLessThan(10_000)
})

test('ten thousand idle keep-alive connections do not block new clients (threat 31)', async ({
  service,
}) => {
  test.setTimeout(90_000)
  const { baseUrl, apiKey } = service.ready
  const port = Number(new URL(baseUrl).port)
  const wanted = Number(process.env.PI_IDLE_SOCKETS ?? 10_200)
  const count = Math.min(wanted, openFiles() - 2000)
  const idle: Held[] = []
  while (idle.length < count) {
    const held = await Promise.all(Array.from({ length: 200 }, () => hold(port)))
    for (const { socket } of held) socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await Promise.all(
      held.map(({ socket, closed }) => Promise.race([once(socket, 'data'), closed])),
    )
    idle.push(...held)
  }
  let slowest = 0
  for (let served = 0; served < 50; served++) {
    const began = performance.now()
    const answer = await fetch(`${baseUrl}/payment-intents/pi_x`, {
      headers: { authorization: `Bearer ${apiKey}`, connection: 'close' },
    })
    expect(answer.status).toBe(404)
    slowest = Math.max(slowest, performance.now() - began)
  }
  tell('idle keep-alive connections', { idle: count, slowestMs: Math.round(slowest) })
  for (const { socket } of idle) socket.destroy()
})

interface Held {
  readonly socket: Socket
  readonly closed: Promise<unknown>
  /** What the server said. */
  heard(): string
}

async function hold(port: number): Promise<Held> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.on('data', (chunk) => {
    heard += chunk
  })
  socket.on('error', () => {})
  await Promise.race([once(socket, 'connect'), once(socket, 'close')])
  const closed = socket.destroyed ? Promise.resolve() : once(socket, 'close')
  return { socket, closed, heard: () => heard }
}

/** Connections that send what comes first at once, and then a byte at a time. */
async function drips(
  port: number,
  count: number,
  text: string,
  first = '',
): Promise<readonly Held[]> {
  const held = await Promise.all(Array.from({ length: count }, () => hold(port)))
  for (const { socket, closed } of held) {
    if (first) socket.write(first)
    let at = 0
    const timer = setInterval(() => {
      if (socket.writable) socket.write(text[at++ % text.length] ?? '')
    }, 500)
    closed.finally(() => clearInterval(timer))
  }
  return held
}

/** How many files a process may have open here; Node has taken the most that it may. */
function openFiles(): number {
  try {
    const [, soft = ''] =
      /^Max open files +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
  } catch {
    return 4096
  }
}
