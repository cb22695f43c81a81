import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, Server as NetServer } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { queueRequests } from '../../src/http/startup-queue.ts'
import { create, startTestService, type TestService } from '../support/service.ts'

let service: TestService

beforeAll(async () => {
  service = await startTestService()
})

afterAll(async () => await service.stop())

test('a running service is healthy and ready, and shows metrics only when asked for', async () => {
  const [health, ready, metrics] = await Promise.all(
    ['/healthz', '/readyz', '/metrics'].map(async (path) => await fetch(service.url + path)),
  )
  expect([health?.status, await health?.json()]).toEqual([200, { status: 'ok' }])
  expect([ready?.status, await ready?.json()]).toEqual([200, { status: 'ready' }])
  expect(metrics?.status).toBe(404)
  expect(health?.headers.get('strict-transport-security')).toBeNull()
})

test('an idle connection is kept longer than proxies and clients keep it, so that none meets its end', async () => {
  const { headers } = await fetch(`${service.url}/healthz`)
  const [, seconds] = /timeout=(\d+)/.exec(headers.get('keep-alive') ?? '') ?? []
  expect(Number(seconds)).toBeGreaterThan(60)
})

test('counts responses by operation and status, without names', async () => {
  const counted = await startTestService({ PI_METRICS: 'on' })
  try {
    const { id } = (await (await create(counted)).json()) as { id: string }
    await create(counted, 'no json')
    const text = async () => await (await fetch(`${counted.url}/metrics`)).text()
    await expect.poll(text).toContain('pi_answers_total{operation="create",status="400"} 1')
    const shown = await text()
    expect(shown).toContain('pi_answers_total{operation="create",status="201"} 1')
    expect(shown).toContain('pi_answer_seconds_count{operation="create"} 2')
    expect(shown).toContain('process_resident_memory_bytes')
    expect(shown).not.toContain(id)
  } finally {
    await counted.stop()
  }
})

test('a switch that is neither on nor off is refused by name', () => {
  expect(() => readConfig({}, { PI_METRICS: 'yes' })).toThrow('PI_METRICS: must be on or off')
})

test('a request that comes before the service is ready waits, and is answered', async () => {
  const server = createServer()
  const open = queueRequests(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const early = fetch(`http://127.0.0.1:${port}/readyz`)
  const gone = connect(port, '127.0.0.1')
  gone.write('GET /gone HTTP/1.1\r\nHost: x\r\n\r\n')
  for (let count = 0; count < 2; count++) await once(server, 'request')
  gone.destroy()
  await expect.poll(() => connectionsOf(server)).toBe(1)
  const asked: (string | undefined)[] = []
  open(({ url }, response) => {
    asked.push(url)
    response.end('ready')
  })
  expect(await (await early).text()).toBe('ready')
  expect(await (await fetch(`http://127.0.0.1:${port}/after`)).text()).toBe('ready')
  expect(asked).toEqual(['/readyz', '/after'])
  server.close()
  server.closeAllConnections()
})

test('from its first moment on a port a starting service answers each request', async () => {
  const early: Promise<Response>[] = []
  const { listen } = NetServer.prototype
  const spy = vi.spyOn(NetServer.prototype, 'listen').mockImplementation(function (
    this: NetServer,
    ...args
  ) {
    this.once('listening', () => {
      const { port } = this.address() as AddressInfo
      early.push(fetch(`http://127.0.0.1:${port}/healthz`))
    })
    return listen.apply(this, args)
  })
  const started = await startTestService()
  spy.mockRestore()
  const answers = await Promise.all(early)
  expect(answers.map(({ status }) => status)).toEqual([200, 404])
  await started.stop()
})

async function connectionsOf(server: NetServer): Promise<number> {
  return await new Promise((resolve) => server.getConnections((_, count) => resolve(count)))
}
