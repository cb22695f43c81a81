import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { openSocket } from '@pi-checkout/test-support/raw-http'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Change } from '../../src/store/database.ts'
import { createWaits, rejectionDelay } from '../../src/waiting/waits.ts'
import { atEnd } from '../support/lifetime.ts'
import { startTestService } from '../support/service.ts'
import { newIntent } from '../support/store.ts'

let offset = 0
const service = await startTestService({}, { now: () => new Date(Date.now() + offset) })
const { host, port } = new URL(service.url)
const minute = 60_000

afterEach(() => {
  vi.useRealTimers()
  offset = 0
})

/** Lets a page wait, while the time of the waits passes by hand only. */
async function startWait(page: HostedPage) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const response = page.get('?waitForVersion=2')
  await expect.poll(() => vi.getTimerCount()).toBe(1)
  const pass = async (milliseconds: number) => await vi.advanceTimersByTimeAsync(milliseconds)
  /** Fails if the response begins before the time has passed. */
  const passWithout = async (milliseconds: number): Promise<void> => {
    await pass(milliseconds)
    expect(await Promise.race([response, sleep(200, 'waits')])).toBe('waits')
  }
  return { response, pass, passWithout }
}

// Waits end after eight to ten minutes, so that pages which connected together do not return together.
test.each([
  [8, 1],
  [10, 0],
])('sends a byte at least every 25 seconds, for %s minutes', async (minutes, random) => {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  onTestFinished(() => void vi.restoreAllMocks())
  const { response, pass } = await startWait(await service.openPage())
  await pass(25_000)
  const { status, headers, body } = await response
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const parts = body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let seconds = 25; seconds + 25 < minutes * 60; seconds += 25) {
    while (text.length < seconds / 25) text += (await parts?.read())?.value
    await pass(25_000)
  }
  expect(vi.getTimerCount()).toBe(1)
  await pass(25_000)
  expect(vi.getTimerCount()).toBe(0)
  while (!text.endsWith('}')) text += (await parts?.read())?.value
  expect(text).toMatch(/^ +\{.*"version":1,.*\}$/)
})

test('ends with the session', async () => {
  const page = await service.openPage()
  offset = 15 * minute - 10_000
  const { response, pass, passWithout } = await startWait(page)
  await passWithout(9000)
  await pass(1500)
  expect((await response).status).toBe(200)
})

test('reads again within a second after a deadline of the environment', async () => {
  const clock = `/environments/${service.environmentId}/clock`
  await service.control('PUT', clock, { offset: 7 * minute })
  const { response, pass, passWithout } = await startWait(await service.openPage())
  offset = 24 * 60 * minute - 5000
  await passWithout(1000)
  offset += 5000
  await pass(1000)
  expect(await (await response).json()).toMatchObject({ version: 2, status: 'expired' })
})

test('closes the connection if the session ends after a byte', async () => {
  const page = await service.openPage()
  const { id } = await page.view()
  const { response, pass } = await startWait(page)
  await pass(25_000)
  const { body } = await response
  await service.revokeSecret(id)
  await expect(new Response(body).text()).rejects.toThrow()
})

test('returns a change that happens while the intent is read', async () => {
  let intent = newIntent()
  let publish = (_change: Change): void => {}
  const listen = (listener: typeof publish): void => {
    publish = listener
  }
  const stopping = new AbortController().signal
  const { wait } = createWaits({ db: { listen } as never, now: () => new Date() }, stopping)
  const read = async () => {
    const snapshot = { intent, environment: { clockOffset: 0 }, at: new Date() } as never
    intent = { ...intent, version: 2 }
    publish({ intentId: intent.id })
    return snapshot
  }
  const awaited = {
    intentId: intent.id,
    version: 2,
    lifetime: 5000,
    read,
    onPulse: () => {},
    response: new EventEmitter() as never,
  }
  expect((await wait(awaited)).intent.version).toBe(2)
})

/** @see Finding S3 */
test('rejects requests without a wait, however many others it has rejected', async () => {
  // No timer ends, so that a response that waits for one never comes.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const unknownPath = `GET /nothing HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const unknownKey = `GET /payment-intents/x HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer x\r\n\r\n`
  const received: string[] = []
  const sockets = await Promise.all(Array.from({ length: 500 }, () => openSocket(port)))
  for (const [at, socket] of sockets.entries()) {
    atEnd(() => socket.destroy())
    socket.on('data', (bytes) => void received.push(String(bytes).slice(9, 12)))
    socket.write(at < 499 ? unknownPath : unknownKey)
  }
  const until = performance.now() + 20_000
  while (received.length < 500 && performance.now() < until) await new Promise(setImmediate)
  expect(received).toContain('401')
  expect(received).toHaveLength(500)
})

/** @see Finding S5 */
test.each([21, 200])(
  'keeps twenty of %s waiting pages of one intent, and rejects the others after a pause',
  async (count) => {
    const page = await service.openPage()
    const waiting = Array.from({ length: count }, () => page.get('?waitForVersion=2'))
    expect(await Promise.race([...waiting, sleep(rejectionDelay / 2, 'none')])).toBe('none')
    const { status, headers } = await Promise.race(waiting)
    expect([status, headers.get('retry-after')]).toEqual([429, '5'])
    await page.post('cancel', {})
    const statuses = (await Promise.all(waiting)).map((each) => each.status)
    expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(count - 20).fill(429)])
  },
)

test('gives the place of a waiting page that has left to another one', async () => {
  const page = await service.openPage()
  const left = new AbortController()
  const waiting = Array.from({ length: 20 }, () => page.get('?waitForVersion=2', left.signal))
  expect(await Promise.race([...waiting, sleep(500, 'none')])).toBe('none')
  left.abort()
  await Promise.allSettled(waiting)
  const another = async () =>
    await Promise.race([page.get('?waitForVersion=2'), sleep(rejectionDelay + 1000, 'waits')])
  await expect.poll(another, { timeout: 30_000 }).toBe('waits')
  await page.post('cancel', {})
})
