import { setTimeout as sleep } from 'node:timers/promises'
import type { HostedPage } from '@pi-checkout/test-support/http-buyer'
import { afterEach, expect, test, vi } from 'vitest'
import type { Change } from '../../src/store/database.ts'
import { createWaits } from '../../src/waiting/waits.ts'
import { startTestService } from '../support/service.ts'
import { newIntent } from '../support/store.ts'

let offset = 0
const service = await startTestService({}, { now: () => new Date(Date.now() + offset) })
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

test('sends a byte at least every 25 seconds, for at most ten minutes', async () => {
  const { response, pass } = await startWait(await service.openPage())
  await pass(25_000)
  const { status, headers, body } = await response
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8'])
  const parts = body?.pipeThrough(new TextDecoderStream()).getReader()
  let [text, pauses] = ['', 1]
  for (; !text.includes('}'); pauses++) {
    await pass(25_000)
    while (text.length < pauses) text += (await parts?.read())?.value
  }
  expect(text).toMatch(/^ {19,25}\{.*"version":1,.*\}$/)
  expect([pauses > 19, pauses <= 24]).toEqual([true, true])
  expect(vi.getTimerCount()).toBe(0)
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
  const { signal } = new AbortController()
  const { wait } = createWaits({ db: { listen } as never, now: () => new Date() }, signal)
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
    signal,
  }
  expect((await wait(awaited)).intent.version).toBe(2)
})
