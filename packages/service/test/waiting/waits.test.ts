import { afterEach, expect, test, vi } from 'vitest'
import { expiresAt } from '../../src/intents/deadlines.ts'
import type { Change } from '../../src/store/database.ts'
import { type Awaited, createWaits, longPoll } from '../../src/waiting/waits.ts'
import { serveRoutes } from '../support/lifetime.ts'
import { newIntent } from '../support/store.ts'

const minute = 60_000
const clockOffset = 7 * minute

afterEach(() => void vi.useRealTimers())

/** A store with one intent, and the waits of an instance. */
function startWaits() {
  vi.useFakeTimers()
  const now = (): Date => new Date(Date.now() + clockOffset)
  const store = {
    intent: newIntent({ createdAt: now() }),
    change: (_change: Change): void => {},
    pay: () => Object.assign(store, { intent: { ...store.intent, version: 2 } }),
    read: async () =>
      ({ intent: store.intent, environment: { id: 'env_test', clockOffset }, at: now() }) as never,
  }
  const db = { listen: (change: typeof store.change) => void Object.assign(store, { change }) }
  const { signal } = new AbortController()
  const waits = createWaits({ db: db as never, now: () => new Date() }, signal)

  /** Waits for version 2, and counts what it does. */
  function wait(changes: Partial<Awaited> = {}) {
    const seen = { reads: 0, pulses: [] as number[], end: undefined as number | undefined }
    const begin = Date.now()
    const { read = store.read, ...others } = changes
    const awaited: Awaited = {
      intentId: store.intent.id,
      version: 2,
      lifetime: Infinity,
      read: async () => {
        seen.reads++
        return await read()
      },
      onPulse: () => void seen.pulses.push(Date.now() - begin),
      signal,
      ...others,
    }
    const result = waits.wait(awaited).then(({ intent }) => {
      seen.end = Date.now() - begin
      return intent
    })
    return { seen, result }
  }
  return { store, wait, now }
}

test('sends a byte at least every 25 seconds for at most ten minutes, with one read', async () => {
  const { seen, result } = startWaits().wait()
  await vi.advanceTimersByTimeAsync(11 * minute)
  expect((await result).version).toBe(1)
  expect(seen.end).toBeGreaterThan(8 * minute - 1)
  expect(seen.end).toBeLessThanOrEqual(10 * minute + 250)
  const pauses = seen.pulses.map((at, index) => at - (seen.pulses[index - 1] ?? 0))
  expect(Math.max(...pauses)).toBeLessThanOrEqual(25_000)
  expect(Math.min(...pauses.slice(1))).toBeGreaterThan(23_000)
  expect([seen.reads, vi.getTimerCount()]).toEqual([1, 0])
})

test('ends with the session', async () => {
  const { seen } = startWaits().wait({ lifetime: 10_000 })
  await vi.advanceTimersByTimeAsync(10_000)
  expect(seen).toEqual({ reads: 1, pulses: [], end: 10_000 })
})

test('returns a change that happens while the intent is read', async () => {
  const { store, wait } = startWaits()
  const read = async () => {
    const snapshot = await store.read()
    store.pay()
    store.change({ intentId: store.intent.id })
    return snapshot
  }
  const { seen, result } = wait({ read })
  expect((await result).version).toBe(2)
  expect(seen.end).toBe(0)
})

test('reads again within a second after a deadline of the environment', async () => {
  const { store, wait, now } = startWaits()
  const read = async () => {
    if (now() >= expiresAt(store.intent)) store.pay()
    return await store.read()
  }
  const { seen, result } = wait({ read })
  const createdAt = new Date(now().getTime() - 24 * 60 * minute + 5000)
  store.intent = { ...store.intent, createdAt }
  store.change('environments')
  await vi.advanceTimersByTimeAsync(6000)
  expect((await result).version).toBe(2)
  expect(seen.end).toBeGreaterThanOrEqual(5000)
})

/** Requests a long poll whose wait is `wait`. */
async function poll(wait: Parameters<typeof longPoll>[1]): Promise<Response> {
  return await fetch(
    await serveRoutes((app) => {
      app.get('/', async (_request, reply) => await longPoll(reply, wait))
    }),
  )
}

test('begins the response with the first pulse, and sends a space for each', async () => {
  let end = (): void => {}
  const response = await poll(async (onPulse) => {
    onPulse()
    await new Promise<void>((resolve) => {
      end = resolve
    })
    onPulse()
    return { version: 2 }
  })
  const type = response.headers.get('content-type')
  expect([response.status, type]).toEqual([200, 'application/json; charset=utf-8'])
  end()
  expect(await response.text()).toBe('  {"version":2}')
})

test('closes the connection if the wait fails after a pulse', async () => {
  const response = await poll(async (onPulse) => {
    onPulse()
    await new Promise(setImmediate)
    throw new Error('the session ended')
  })
  await expect(response.text()).rejects.toThrow()
})
